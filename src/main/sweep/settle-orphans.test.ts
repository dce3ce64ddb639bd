import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test as each, type TestContext } from 'vitest'
import { createLab, type Lab, type LabOptions } from '../../../test/sweep-lab.ts'
import { isProcessAlive, readStartTicks } from '../store/index.ts'
import { hello, newRun, plannedEntry, spoolLines } from '../store/spool-lines.testing.ts'

const test = each.concurrent
const plan = { contexts: [0], concurrency: [1, 4], prefillContexts: [] }

async function newLab(context: TestContext, options?: LabOptions): Promise<Lab> {
  const lab = await createLab(options)
  context.onTestFinished(() => lab.dispose())
  return lab
}

/** A run that goes on as far as the history knows; its driver's spool has lines that nobody has stored. */
function leaveRun(lab: Lab, id: string, place: 'local' | 'host', pid = 2 ** 22): string {
  const folder = join(lab.dataDir, 'runs', id)
  const { runs } = lab.store
  runs.create(newRun(id, plan))
  const lines = spoolLines([
    hello(id),
    { kind: 'state', state: 'preparing' },
    plannedEntry([0], [1, 4]),
    { kind: 'state', state: 'running' },
    { kind: 'event', level: 'info', text: 'the last thing it said' },
  ])
  runs.appendLines(id, lines.slice(0, 4))
  runs.setLocation(id, { place, folder, epoch: 1, ...(place === 'host' ? { host: 'lab' } : { baseUrl: 'http://127.0.0.1:9' }) })
  if (place === 'host') return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'spool.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const identity = { hostName: hostname(), bootId, pid, session: pid, startTicks: readStartTicks(pid) || '1' }
  writeFileSync(join(folder, 'driver.json'), JSON.stringify(identity))
  return folder
}

test('engine and driver are gone: interrupted, with what the driver had still said, and nothing left', async (context) => {
  const lab = await newLab(context)
  const folder = leaveRun(lab, 'r1', 'local')
  const heardAt = '2026-03-01T10:00:04.000Z'
  expect(lab.store.runs.find('r1')).toMatchObject({ state: 'running', unwatched: { lastHeardAt: heardAt } })
  expect(lab.store.runs.document('r1')).toMatchObject({ unwatched: { lastHeardAt: heardAt } })
  expect(lab.store.runs.list()).toMatchObject([{ id: 'r1', unwatched: { lastHeardAt: heardAt } }])
  expect(await lab.sweeps.settleOrphans()).toEqual(['r1'])
  const document = lab.store.runs.document('r1')
  expect(document).toMatchObject({
    state: 'interrupted',
    reason: 'The engine that measured it is gone (last heard of at 2026-03-01 10:00:04 UTC)',
  })
  expect(document.unwatched).toBeUndefined()
  expect(document.events.map((event) => event.text)).toContain('the last thing it said')
  expect(existsSync(dirname(folder))).toBe(false)
  expect(await lab.sweeps.settleOrphans()).toEqual([])
})

test('a driver that is still ending: interrupted at once, and its rest is taken in by the next', async (context) => {
  const lab = await newLab(context)
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  context.onTestFinished(() => void child.kill('SIGKILL'))
  const folder = leaveRun(lab, 'r1', 'local', child.pid)
  expect(await lab.sweeps.settleOrphans()).toEqual(['r1'])
  expect(lab.store.runs.document('r1')).toMatchObject({
    state: 'interrupted',
    reason: expect.stringContaining('is ending') as string,
  })
  expect(existsSync(folder)).toBe(true)
  child.kill('SIGKILL')
  await gone
  await lab.sweeps.settleOrphans()
  expect(lab.store.runs.document('r1').events.map((event) => event.text)).toContain('the last thing it said')
  expect(existsSync(folder)).toBe(false)
})

test('a driver on a host may run on: nothing is claimed, and what is known is said', async (context) => {
  const lab = await newLab(context)
  leaveRun(lab, 'r1', 'host')
  expect(await lab.sweeps.settleOrphans()).toEqual([])
  expect(lab.store.runs.find('r1')).toMatchObject({ state: 'running', unwatched: { lastHeardAt: '2026-03-01T10:00:04.000Z' } })
})

test('a run that a living engine measures is left alone, however long its lease was not renewed', async (context) => {
  const lab = await newLab(context)
  leaveRun(lab, 'r1', 'local')
  const other = await newLab(context, { homeDir: lab.homeDir, dataDir: lab.dataDir })
  expect(other.store.runs.takeLease('r1')).toBe(true)
  const connection = new DatabaseSync(join(lab.dataDir, 'history.db'))
  connection.exec('UPDATE runs SET lease_heartbeat_ms = 1')
  connection.close()
  expect(await lab.sweeps.settleOrphans()).toEqual([])
  expect(lab.store.runs.find('r1')).toMatchObject({ state: 'running' })
  expect(lab.store.runs.find('r1').unwatched).toBeUndefined()
  expect(isProcessAlive(process.pid, '')).toBe(true)
})

test('a history that is locked now is opened all the same, and says what is known', async (context) => {
  const lab = await newLab(context)
  leaveRun(lab, 'r1', 'local')
  const connection = new DatabaseSync(join(lab.dataDir, 'history.db'))
  connection.exec('BEGIN IMMEDIATE')
  expect(await lab.sweeps.settleOrphans()).toEqual([])
  expect(lab.store.runs.find('r1').unwatched).toBeDefined()
  connection.close()
  expect(await lab.sweeps.settleOrphans()).toEqual(['r1'])
})
