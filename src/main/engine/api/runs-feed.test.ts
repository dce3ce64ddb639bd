import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createStore, type Store } from '../../store/index.ts'
import { newRun, START_MS } from '../../store/spool-lines.testing.ts'
import { thin } from './runs.ts'
import { createRunsFeed } from './runs-feed.ts'

let dataDir: string
let store: Store
let other: Store
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-runs-'))
  store = createStore({ dataDir })
  other = createStore({ dataDir })
})
afterEach(() => {
  store.dispose()
  other.dispose()
  rmSync(dataDir, { recursive: true, force: true })
})
const plan = { contexts: [0], concurrency: [1] }

test('what is done here is said at once, what others do soon; a run that goes to the trash leaves', async () => {
  store.runs.create(newRun('r1', plan))
  const feed = createRunsFeed({ store, lookMs: 20 })
  const leave = new AbortController()
  const reader = feed.watch(leave.signal)[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({ kind: 'snapshot', value: [{ id: 'r1' }] })
  store.runs.rename('r1', 'new name')
  feed.touch(['r1'])
  expect((await reader.next()).value).toMatchObject({ rev: 2, change: { upsert: [{ id: 'r1', name: 'new name' }] } })
  other.runs.create(newRun('r2', plan))
  expect((await reader.next()).value).toMatchObject({ rev: 3, change: { upsert: [{ id: 'r2' }] } })
  store.runs.setTrashed('r1', true)
  feed.touch(['r1'])
  expect((await reader.next()).value).toMatchObject({ rev: 4, change: { remove: ['r1'] } })
  leave.abort()
  feed.dispose()
})

test('a burst is one change; of a run that comes and goes only the going is said', async () => {
  const feed = createRunsFeed({ store })
  const leave = new AbortController()
  const reader = feed.watch(leave.signal)[Symbol.asyncIterator]()
  await reader.next()
  for (const id of ['a', 'b', 'c']) {
    store.runs.create(newRun(id, plan))
    feed.touch([id])
    feed.touchLater(id)
  }
  store.runs.setTrashed('b', true)
  feed.touch(['b'])
  expect((await reader.next()).value).toMatchObject({ change: { upsert: [{ id: 'a' }, { id: 'c' }] } })
  expect((await reader.next()).value).toMatchObject({ change: { remove: ['b'] } })
  leave.abort()
  feed.dispose()
})

test('nobody watching, nothing is read and nothing is kept', async () => {
  const feed = createRunsFeed({ store, lookMs: 5 })
  feed.touch(['not there'])
  const leave = new AbortController()
  const reader = feed.watch(leave.signal)[Symbol.asyncIterator]()
  await reader.next()
  leave.abort()
  expect((await reader.next()).done).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 20))
  feed.touch(['not there'])
  store.runs.create(newRun('r1', plan))
  const again = feed.watch(new AbortController().signal)[Symbol.asyncIterator]()
  expect((await again.next()).value).toMatchObject({ value: [{ id: 'r1' }] })
  await again.return?.()
  feed.dispose()
})

test('a long run is thinned to what a chart can show, its last moment included', () => {
  const samples = Array.from({ length: 10_001 }, (_, index) => ({
    kind: 'sample' as const,
    n: index + 1,
    t: START_MS + index * 1000,
    m: index,
    metrics: { running: index },
  }))
  const points = thin(samples)
  expect(points.length).toBeLessThanOrEqual(2001)
  expect(points.at(-1)).toEqual({ t: START_MS + 10_000_000, metrics: { running: 10_000 } })
  expect(thin(samples.slice(0, 3))).toHaveLength(3)
})
