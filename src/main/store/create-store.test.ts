import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SpeedgridError } from '../../shared/model/error.ts'
import { createStore } from './create-store.ts'
import { createDatabase } from './database.ts'
import { attemptEntry, hello, newRun, plannedEntry, spoolLines, START_MS } from './spool-lines.testing.ts'
import type { Store } from './types.ts'

let dataDir: string
const opened: Store[] = []
const children: ChildProcess[] = []

beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'speedgrid-store-')), 'data')
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const store of opened.splice(0)) store.dispose()
  rmSync(join(dataDir, '..'), { recursive: true, force: true })
})

function open(now?: () => number): Store {
  const store = createStore({ dataDir, ...(now === undefined ? {} : { clock: { now } }) })
  opened.push(store)
  return store
}
function errorOf(work: () => unknown): SpeedgridError {
  try {
    work()
  } catch (error) {
    if (error instanceof SpeedgridError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const plan = { contexts: [0, 2048], concurrency: [1, 8] }

test('makes a private folder and a private file, and opens them again', () => {
  open().hosts.save({ name: 'lab', address: 'lab.example', demo: false, addedAt: '2026-03-01T10:00:00.000Z' })
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  expect(statSync(join(dataDir, 'history.db')).mode & 0o777).toBe(0o600)
  const again = open()
  expect(again.hosts.list().map((host) => host.address)).toEqual(['lab.example'])
  again.hosts.remove('lab')
  expect(open().hosts.list()).toEqual([])
})

test('refuses a file of a newer version, a file that is no history, and a folder that is a file', () => {
  open().dispose()
  const newer = new DatabaseSync(join(dataDir, 'history.db'))
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  expect(errorOf(open)).toMatchObject({ code: 'conflict', message: expect.stringContaining('newer Speedgrid') as string })

  writeFileSync(join(dataDir, 'history.db'), 'this is no database at all, just some text that is long enough'.repeat(20))
  expect(errorOf(open).code).toBe('conflict')

  dataDir = join(dataDir, 'history.db')
  const error = errorOf(open)
  expect(error.code).toBe('usage')
  expect(error.nextStep).toContain('--data-dir')
  dataDir = join(dataDir, '..')
})

test('a full disk is said as such, and nothing of the transaction stays', () => {
  open().dispose()
  const path = join(dataDir, 'history.db')
  const connection = new DatabaseSync(path)
  const database = createDatabase(connection, path)
  const pages = database.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
  database.exec(`PRAGMA max_page_count = ${String(pages + 2)}`)
  const error = errorOf(() =>
    database.transaction(() => {
      for (let i = 0; i < 100; i++) database.run('INSERT INTO hosts VALUES (?, ?)', `h${String(i)}`, 'x'.repeat(4000))
    }),
  )
  expect(error.code).toBe('disk_full')
  expect(error.nextStep).toBeDefined()
  database.close()
  const store = open()
  const count = new DatabaseSync(path).prepare('SELECT count(*) AS n FROM hosts').get()
  expect(count?.n).toBe(0)
  store.dispose()
})

test('lines are stored once, whoever stores them', () => {
  const first = open()
  const second = open()
  first.runs.create(newRun('r1', plan))
  const lines = spoolLines([hello('r1'), plannedEntry([0, 2048], [1, 8]), attemptEntry(0, 1), attemptEntry(0, 8)])
  expect(first.runs.appendLines('r1', lines.slice(0, 3))).toBe(3)
  expect(second.runs.appendLines('r1', lines)).toBe(1)
  expect(first.runs.appendLines('r1', lines)).toBe(0)
  expect([...second.runs.lines('r1')].map((line) => line.n)).toEqual([1, 2, 3, 4])
  expect(first.runs.attempts('r1')).toHaveLength(2)
  expect(first.runs.document('r1').cells.map((cell) => cell.attempts)).toEqual([1, 1, 0, 0])
})

test('live and beat lines count for the last line without being kept', () => {
  const store = open()
  store.runs.create(newRun('r1', plan))
  const live = { contextTokens: 0, concurrency: 1, phase: 'window' as const, activeStreams: 1, windowSeconds: 1, outputTokens: 5 }
  const lines = spoolLines([
    hello('r1'),
    { kind: 'live', tokensPerSecond: 5, ...live },
    { kind: 'beat', doneCells: 0, totalCells: 4 },
  ])
  expect(store.runs.appendLines('r1', lines)).toBe(3)
  expect(store.runs.lastLine('r1')).toBe(3)
  expect([...store.runs.lines('r1')].map((line) => line.kind)).toEqual(['hello'])
  expect(store.runs.appendLines('r1', lines)).toBe(0)
  expect(store.runs.document('r1').timing.wallSeconds).toBe(3)
})

test('states follow the lines; a late old line changes nothing', () => {
  const store = open()
  store.runs.create(newRun('r1', plan))
  const lines = spoolLines([
    hello('r1'),
    { kind: 'state', state: 'preparing' },
    { kind: 'state', state: 'running' },
    { kind: 'end', state: 'failed', error: { code: 'unauthorized', cause: 'The server answered 401', evidence: [] } },
  ])
  store.runs.appendLines(
    'r1',
    [lines[0], lines[1], lines[3]].filter((line) => line !== undefined),
  )
  store.runs.appendLines('r1', lines)
  const run = store.runs.find('r1')
  expect(run).toMatchObject({ state: 'failed', startedAt: new Date(START_MS + 1000).toISOString() })
  expect(store.runs.document('r1').reason).toBe('The server answered 401')
})

test('the lease belongs to one engine until it lets go, dies or stops renewing', () => {
  let now = START_MS
  const first = open(() => now)
  const second = open(() => now)
  first.runs.create(newRun('r1', plan))
  expect(first.runs.takeLease('r1')).toBe(true)
  expect(second.runs.takeLease('r1')).toBe(false)
  expect(second.runs.leaseHolder('r1')).toMatchObject({ pid: process.pid, heartbeatAt: new Date(START_MS).toISOString() })
  now += 29_000
  expect(first.runs.takeLease('r1')).toBe(true)
  now += 29_000
  expect(second.runs.takeLease('r1')).toBe(false)
  now += 2000
  expect(second.runs.takeLease('r1')).toBe(true)
  expect(first.runs.takeLease('r1')).toBe(false)
  second.runs.releaseLease('r1')
  expect(second.runs.leaseHolder('r1')).toBeUndefined()
  expect(first.runs.takeLease('r1')).toBe(true)
})

test('a writer that is killed in the middle of a transaction leaves nothing of it, and no lease', async () => {
  const store = open()
  store.runs.create(newRun('r1', plan))
  const script = join(import.meta.dirname, 'killed-writer.testing.ts')
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the writer ended with ${String(code)}`)))
  })
  expect(store.runs.leaseHolder('r1')?.pid).toBe(child.pid)
  child.removeAllListeners('exit')
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
  expect(store.runs.lastLine('r1')).toBe(1)
  expect([...store.runs.lines('r1')].map((line) => line.n)).toEqual([1])
  expect(store.runs.takeLease('r1')).toBe(true)
  expect(store.runs.appendLines('r1', spoolLines([hello('r1'), attemptEntry(0, 1)]))).toBe(1)
})
