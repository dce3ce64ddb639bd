import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test as each, type TestContext } from 'vitest'
import type { SpoolLine } from '../../shared/model/spool.ts'
import { createLab, hostRequest, type Lab, type LabOptions } from '../../../test/sweep-lab.ts'
import type { SweepHandle } from './types.ts'

// What happens to the history or the driver doesn't end a sweep: it is said, and nothing is lost.
const test = each.concurrent

async function newLab(context: TestContext, options?: LabOptions): Promise<Lab> {
  const lab = await createLab(options)
  context.onTestFinished(() => lab.dispose())
  return lab
}
const statuses = (lab: Lab, id: string) =>
  lab.store.runs.document(id).cells.map((cell) => `${String(cell.concurrency)} ${cell.status} ${String(cell.attempts)}`)

async function seen(handle: SweepHandle, wanted: (line: SpoolLine) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = handle.onLine((line) => {
      if (!wanted(line)) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
}

function lock(lab: Lab): () => void {
  const connection = new DatabaseSync(join(lab.dataDir, 'history.db'))
  connection.exec('BEGIN IMMEDIATE')
  return () => connection.close()
}
const requestAt = (place: 'host' | 'local', plan: Parameters<typeof hostRequest>[0]) => {
  const target = place === 'host' ? hostRequest().target : { kind: 'url' as const, url: 'http://127.0.0.1:9' }
  return { ...hostRequest(plan), target }
}

test.for(['host', 'local'] as const)(
  'another process locks the history until after the driver has ended (%s): said, and nothing is lost',
  async (place, context) => {
    const lab = await newLab(context)
    const handle = await lab.sweeps.start(requestAt(place, { settleSeconds: 0.4 }))
    const links: string[] = []
    handle.onLink(({ state, reason }) => {
      const link = `${state} ${reason ?? ''}`.trim()
      // A busy machine may be slow to answer.
      if (links.at(-1) !== link && state !== 'link_down') links.push(link)
    })
    await seen(handle, (line) => line.kind === 'attempt')
    const spool = join(lab.store.runs.location(handle.runId)?.folder ?? '', 'spool.jsonl')
    const unlock = lock(lab)
    while (!readFileSync(spool, 'utf8').includes('"kind":"end"')) await delay(20)
    while (!links.includes('history_down it is locked by another process')) await delay(20)
    expect(lab.store.runs.document(handle.runId).state).toBe('running')
    unlock()
    expect(await handle.finished).toMatchObject({ state: 'finished' })
    expect(links).toEqual(['reading', 'history_down it is locked by another process', 'reading'])
    expect(statuses(lab, handle.runId)).toEqual(['1 valid 1', '4 valid 1', '1 valid 1', '4 valid 1'])
    expect(JSON.stringify(lab.store.runs.document(handle.runId).events)).toMatch(
      /locked by another process for \d+ s; measuring went on/,
    )
    expect(lab.leftFolders()).toEqual([])
    expect(lab.store.runs.leaseHolder(handle.runId)).toBeUndefined()
  },
)

test('a history that is locked while a run starts is waited for', async (context) => {
  const tries: string[] = []
  const lab = await newLab(context, {
    wrapStore: (store) => {
      const create: typeof store.runs.create = (run) => {
        tries.push(run.id)
        store.runs.create(run)
      }
      return { ...store, runs: { ...store.runs, create } }
    },
  })
  const unlock = lock(lab)
  const starting = lab.sweeps.start(requestAt('local', {}))
  while (tries.length < 3) await delay(20)
  unlock()
  const handle = await starting
  expect(await handle.finished).toMatchObject({ state: 'finished' })
})

test.for(['host', 'local'] as const)('a driver that is frozen is said, and heard again (%s)', async (place, context) => {
  const lab = await newLab(context)
  const handle = await lab.sweeps.start(requestAt(place, { settleSeconds: 0.4 }))
  const links: string[] = []
  const reasons: string[] = []
  handle.onLink(({ state, reason = '' }) => {
    // A busy machine may be slow to answer.
    if (links.at(-1) !== state && state !== 'link_down') links.push(state)
    reasons.push(reason)
  })
  await seen(handle, (line) => line.kind === 'live')
  const folder = lab.store.runs.location(handle.runId)?.folder ?? ''
  const { pid } = JSON.parse(readFileSync(join(folder, 'driver.json'), 'utf8')) as { pid: number }
  process.kill(pid, 'SIGSTOP')
  while (links.at(-1) !== 'driver_silent') await delay(20)
  expect(reasons.at(-1)).toContain(`process ${String(pid)} is ${place === 'host' ? 'stopped' : 'running'}`)
  process.kill(pid, 'SIGCONT')
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  expect(links).toEqual(['reading', 'driver_silent', 'reading'])
})
