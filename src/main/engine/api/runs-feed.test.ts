import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Feed } from '../../../shared/contract/changes.ts'
import type { RunsNow } from '../../../shared/contract/runs.ts'
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

function watching(feed: ReturnType<typeof createRunsFeed>) {
  const leave = new AbortController()
  const reader = feed.watch(leave.signal)[Symbol.asyncIterator]()
  const next = async () => {
    const { value } = await reader.next()
    if (value === undefined) throw new Error('the feed has ended')
    const message = value as Feed<RunsNow, RunsNow>
    return message.kind === 'snapshot' ? message.value : message.change
  }
  return { next, leave: () => leave.abort(), reader }
}

test('what is done here is said at once, what others do soon; a run that goes to the trash leaves', async () => {
  store.runs.create(newRun('r1', plan))
  const feed = createRunsFeed({ store, lookMs: 20 })
  const { next, leave } = watching(feed)
  expect(await next()).toMatchObject({ version: 1, count: 1, trashed: 0, recent: [{ id: 'r1' }] })
  store.runs.rename('r1', 'new name')
  feed.touch(['r1'])
  expect(await next()).toMatchObject({ version: 2, recent: [{ id: 'r1', name: 'new name' }] })
  other.runs.create(newRun('r2', plan))
  expect(await next()).toMatchObject({ version: 3, count: 2, recent: [{ id: 'r2' }, { id: 'r1' }] })
  store.runs.setTrashed('r1', true)
  feed.touch(['r1'])
  expect(await next()).toMatchObject({ version: 4, count: 1, trashed: 1, recent: [{ id: 'r2' }] })
  leave()
  feed.dispose()
})

test('of a long history only the newest runs are told, and those going on whatever their age', async () => {
  for (let at = 0; at < 120; at += 1) store.runs.create(newRun(`r${String(at)}`, plan))
  store.runs.setState('r3', 'running')
  const feed = createRunsFeed({ store })
  const { next, leave } = watching(feed)
  const first = await next()
  expect(first).toMatchObject({ count: 120, going: [{ id: 'r3' }] })
  expect(first.recent.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, at) => `r${String(119 - at)}`))
  // A row that is not among them: that something has changed is said, and no more.
  store.runs.rename('r7', 'older')
  feed.touch(['r7'])
  expect(await next()).toEqual({ ...first, version: 2 })
  leave()
  feed.dispose()
})

test('a burst is one message; what changed in no row is none', async () => {
  const feed = createRunsFeed({ store })
  const { next, leave } = watching(feed)
  await next()
  for (const id of ['a', 'b', 'c']) {
    store.runs.create(newRun(id, plan))
    feed.touch([id])
    feed.touchLater(id)
  }
  expect((await next()).recent.map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  feed.touch(['a', 'b'])
  store.runs.setTrashed('b', true)
  feed.touch(['b'])
  expect(await next()).toMatchObject({ version: 5, count: 2, trashed: 1 })
  leave()
  feed.dispose()
})

test('nobody watching, nothing is read and nothing is kept', async () => {
  const feed = createRunsFeed({ store, lookMs: 5 })
  feed.touch(['not there'])
  const { next, leave, reader } = watching(feed)
  await next()
  leave()
  expect((await reader.next()).done).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 20))
  feed.touch(['not there'])
  store.runs.create(newRun('r1', plan))
  const again = watching(feed)
  expect(await again.next()).toMatchObject({ version: 1, recent: [{ id: 'r1' }] })
  await again.reader.return?.()
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
