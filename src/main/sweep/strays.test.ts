import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLab, hostRequest } from '../../../test/sweep-lab.ts'
import { readStartTicks } from '../store/index.ts'
import { newRun } from '../store/spool-lines.testing.ts'

test('folders that no run needs go, here and on the host; whose they are decides', async () => {
  const lab = await createLab()
  try {
    const { runs } = lab.store
    const history = lab.store.identity()
    expect(lab.store.identity()).toBe(history)
    const places = [join(lab.dataDir, 'runs'), join(lab.homeDir, '.cache/speedgrid/runs')]
    runs.create(newRun('over', { contexts: [0], concurrency: [1] }))
    runs.setState('over', 'stopped')
    runs.create(newRun('goes', { contexts: [0], concurrency: [1] }))
    runs.setState('goes', 'interrupted')
    const make = (name: string, owner: object | undefined, { isAlive = false, isYoung = false } = {}) => {
      for (const place of places) {
        const folder = join(place, name)
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        if (owner !== undefined) writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner))
        if (isAlive) {
          const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
          const stat = readFileSync('/proc/self/stat', 'utf8')
          const session = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3])
          const ticks = readStartTicks(process.pid)
          const identity = { hostName: hostname(), bootId, pid: process.pid, session, startTicks: ticks }
          writeFileSync(join(folder, 'driver.json'), JSON.stringify(identity))
        }
        const hourAgo = Date.now() / 1000 - 3600
        if (!isYoung) utimesSync(folder, hourAgo, hourAgo)
      }
    }
    for (const place of places) mkdirSync(place, { recursive: true, mode: 0o700 })
    make('unknown', { history, runId: 'unknown', epoch: 1 })
    make('over', { history, runId: 'over', epoch: 1 })
    make('goes', { history, runId: 'goes', epoch: 1 })
    make('goes.2', { history, runId: 'goes', epoch: 2 })
    make('young', { history, runId: 'young', epoch: 1 }, { isYoung: true })
    make('lives', { history, runId: 'lives', epoch: 1 }, { isAlive: true })
    make('theirs', { history: 'another', runId: 'theirs', epoch: 1 })
    make('nobody', undefined)
    runs.setLocation('goes', { place: 'host', host: 'lab', folder: join(places[1] ?? '', 'goes.2'), epoch: 2 })
    await lab.sweeps.dryRun(hostRequest())
    for (const place of places) {
      const left = ['unknown', 'over', 'goes', 'goes.2', 'young', 'lives', 'theirs', 'nobody'].filter((name) =>
        existsSync(join(place, name)),
      )
      expect(left).toEqual(['goes.2', 'young', 'lives', 'theirs', 'nobody'])
    }
  } finally {
    await lab.dispose()
  }
})
