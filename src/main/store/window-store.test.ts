import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createStore } from './create-store.ts'
import { history } from './migrations/0001-history.ts'
import { attemptEntry, hello, newRun, plannedEntry, spoolLines, START_MS } from './spool-lines.testing.ts'
import type { Store } from './types.ts'

let dataDir: string
const opened: Store[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-store-'))
})
afterEach(() => {
  for (const store of opened.splice(0)) store.dispose()
  rmSync(dataDir, { recursive: true, force: true })
})
function open(folder = dataDir): Store {
  const store = createStore({ dataDir: folder })
  opened.push(store)
  return store
}
const plan = { contexts: [0, 2048], concurrency: [1, 8], repeats: 2 }

test('settings, saved launches and inventories are kept', () => {
  const store = open()
  store.settings.change({ a: 'x', b: [1], gone: true })
  store.settings.change({ a: 'y', gone: undefined })
  store.launches.save({ id: '1', name: 'zeta', command: 'vllm serve z' })
  store.launches.save({ id: '2', name: 'Alpha', command: 'vllm serve a', environment: 'env' })
  store.launches.save({ id: '1', name: 'zeta', command: 'vllm serve z2', lastUsedAt: '2026-03-01T10:00:00.000Z' })
  store.launches.save({ id: '1', name: 'zeta', command: 'vllm serve z3' })
  const inventory = { hostName: 'lab', os: 'linux', gpus: [], environments: [] }
  store.inventories.save('lab', inventory, '2026-03-01T10:00:00.000Z')
  const again = open()
  expect(again.settings.all()).toEqual({ a: 'y', b: [1] })
  expect(again.launches.list()).toEqual([
    { id: '1', name: 'zeta', command: 'vllm serve z3', lastUsedAt: '2026-03-01T10:00:00.000Z' },
    { id: '2', name: 'Alpha', command: 'vllm serve a', environment: 'env' },
  ])
  expect([again.launches.remove('2'), again.launches.remove('2')]).toEqual([true, false])
  expect(again.inventories.find('lab')).toEqual({ inventory, seenAt: '2026-03-01T10:00:00.000Z' })
  again.inventories.remove('lab')
  expect(again.inventories.find('lab')).toBeUndefined()
})

test('a history of the first version is brought up to date, with how far its runs were', () => {
  const old = join(dataDir, 'old')
  mkdirSync(old)
  const file = new DatabaseSync(join(old, 'history.db'))
  file.exec(history.sql)
  file.exec('PRAGMA user_version = 1')
  file
    .prepare("INSERT INTO runs (id, name, demo, created_at, state, plan) VALUES ('r1', 'old', 0, '2026-01-01', 'finished', ?)")
    .run(JSON.stringify(newRun('r1', plan).plan))
  const outcome = file.prepare("INSERT INTO outcomes VALUES ('r1', ?, ?, ?, ?, 1, ?, '{}')")
  const rows: [number, number, number, string][] = [
    [0, 1, 1, 'valid'],
    [0, 1, 2, 'looped'],
    [0, 8, 1, 'valid'],
    [2048, 1, 1, 'valid'],
    [2048, 1, 2, 'cancelled'],
  ]
  for (const [index, [context, level, repeat, status]] of rows.entries()) outcome.run(index + 1, context, level, repeat, status)
  file.close()
  expect(open(old).runs.list()).toMatchObject([{ id: 'r1', cellsDone: 1, cellsTotal: 4 }])
})

test('a list tells how far runs are, as their lines come', () => {
  const store = open()
  store.runs.create(newRun('r1', plan, { tags: ['b', 'a b'] }))
  store.runs.create(newRun('r2', plan))
  store.runs.appendLines(
    'r1',
    spoolLines([hello('r1'), plannedEntry([0, 2048], [1, 8], 2), attemptEntry(0, 1), attemptEntry(0, 8)]),
  )
  expect(store.runs.find('r1')).toMatchObject({ cellsDone: 0, cellsTotal: 4, tags: ['b', 'a b'] })
  store.runs.appendLines(
    'r1',
    spoolLines([attemptEntry(0, 1, { repeat: 2 }), attemptEntry(0, 8, { repeat: 2, status: 'error' })], 5),
  )
  expect(store.runs.list().map(({ id, cellsDone, tags }) => [id, cellsDone, tags])).toEqual([
    ['r2', 0, []],
    ['r1', 2, ['b', 'a b']],
  ])
})

test('parts of a run without the rest: one cell, a stretch of samples, the last lines without their bulk', () => {
  const store = open()
  store.runs.create(newRun('r1', plan))
  const rawEvents = { encoding: 'deltas-deflate-base64/1' as const, count: 1, truncated: false, data: 'AAAA' }
  store.runs.appendLines(
    'r1',
    spoolLines([
      hello('r1'),
      plannedEntry([0, 2048], [1, 8]),
      { kind: 'sample', metrics: { running: 1 } },
      attemptEntry(0, 1, { rawEvents }),
      { kind: 'sample', metrics: { running: 2 } },
      attemptEntry(0, 8),
      { kind: 'settled', contextTokens: 0, concurrency: 1, repeat: 2, status: 'skipped', reason: 'x' },
      attemptEntry(0, 1, { attempt: 2 }),
    ]),
  )
  const { runs } = store
  expect(runs.attemptsAt('r1', 0, 1).map((attempt) => [attempt.attempt, attempt.rawEvents])).toEqual([
    [1, rawEvents],
    [2, undefined],
  ])
  expect(runs.attemptsAt('r1', 9, 9)).toEqual([])
  expect(runs.samples('r1').map((line) => line.metrics?.running)).toEqual([1, 2])
  expect(runs.samples('r1', { fromMs: START_MS + 4000 }).map((line) => line.metrics?.running)).toEqual([2])
  expect(runs.samples('r1', { toMs: START_MS + 3000 }).map((line) => line.metrics?.running)).toEqual([1])
  // What a screen begins with carries no attempt's bulk.
  const sweep = runs.sweep('r1', { link: 'reading' })
  expect(sweep.said.planned).toHaveLength(1)
  expect(sweep.view.cells[0]).toMatchObject({ totalTokensPerSecond: 100 })
  expect(JSON.stringify(sweep)).not.toContain('AAAA')
})

test('what somebody else has written is noticed; what we wrote ourselves is not', () => {
  const [store, other] = [open(), open()]
  const before = store.foreignChanges()
  store.settings.change({ a: 1 })
  expect(store.foreignChanges()).toBe(before)
  other.settings.change({ a: 2 })
  const after = store.foreignChanges()
  expect(after).not.toBe(before)
  expect(store.foreignChanges()).toBe(after)
})
