import { expect, test, vi } from 'vitest'
import type { Feed } from '../../../../shared/contract/changes.ts'
import { createEmitter } from './emitter.ts'
import { createFeed, latest, RESET } from './feed.ts'
import { createWatchedList } from './list.ts'
import { createPushStream } from './stream.ts'

function counter(limit = 5) {
  const changes = createEmitter<number | typeof RESET>()
  let value = 0
  const source = { snapshot: () => value, onChange: (listener: (change: number | typeof RESET) => void) => changes.on(listener) }
  return {
    add: (step: number) => {
      value += step
      changes.emit(step)
    },
    reset: (to: number) => {
      value = to
      changes.emit(RESET)
    },
    listeners: () => changes.size,
    feed: (signal: AbortSignal, intervalMs = 1) =>
      createFeed(
        source,
        { fold: (waiting, step) => [...waiting, step], weigh: (waiting) => waiting.length, limit, intervalMs },
        signal,
      ),
  }
}

async function take<Value>(feed: AsyncIterator<Value>, count: number): Promise<Value[]> {
  const got: Value[] = []
  while (got.length < count) {
    const next = await feed.next()
    if (next.done === true) break
    got.push(next.value)
  }
  return got
}

test('a snapshot, then changes numbered without a gap; a late reader gets the value of then', async () => {
  const { add, feed } = counter()
  const leave = new AbortController()
  const first = feed(leave.signal)
  expect(await take(first, 1)).toEqual([{ kind: 'snapshot', rev: 1, value: 0 }])
  add(1)
  add(2)
  expect(await take(first, 2)).toEqual([
    { kind: 'change', rev: 2, change: 1 },
    { kind: 'change', rev: 3, change: 2 },
  ])
  expect(await take(feed(leave.signal), 1)).toEqual([{ kind: 'snapshot', rev: 1, value: 3 }])
  leave.abort()
})

test('a reader that is slow gets the whole value instead of an endless queue, and goes on from there', async () => {
  const { add, feed } = counter()
  const leave = new AbortController()
  const reader = feed(leave.signal)
  await take(reader, 1)
  for (let i = 0; i < 1000; i++) add(1)
  expect(await take(reader, 1)).toEqual([{ kind: 'snapshot', rev: 2, value: 1000 }])
  add(5)
  expect(await take(reader, 1)).toEqual([{ kind: 'change', rev: 3, change: 5 }])
  leave.abort()
})

test('a change that no change can say is a new snapshot, with what came after it inside', async () => {
  const { add, reset, feed } = counter()
  const leave = new AbortController()
  const reader = feed(leave.signal)
  await take(reader, 1)
  add(1)
  reset(70)
  add(1)
  expect(await take(reader, 1)).toEqual([{ kind: 'snapshot', rev: 2, value: 71 }])
  leave.abort()
})

test('speaks at most once in an interval, whatever happens in between', async () => {
  vi.useFakeTimers()
  try {
    const { add, feed } = counter(1000)
    const leave = new AbortController()
    const reader = feed(leave.signal, 50)
    const got: Feed<number, number>[] = []
    const reading = (async () => {
      for await (const message of reader) got.push(message)
    })()
    for (let ms = 0; ms < 1000; ms++) {
      add(1)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(got.length).toBeLessThanOrEqual(21)
    expect(got.length).toBeGreaterThan(15)
    leave.abort()
    await reading
  } finally {
    vi.useRealTimers()
  }
})

test('ends when the signal aborts, wherever it is, and leaves no listener behind', async () => {
  const { add, feed, listeners } = counter()
  const waiting = new AbortController()
  const reader = feed(waiting.signal)
  await take(reader, 1)
  const next = reader.next()
  waiting.abort()
  expect(await next).toEqual({ value: undefined, done: true })

  const suspended = new AbortController()
  await take(feed(suspended.signal), 1)
  expect(listeners()).toBe(1)
  suspended.abort()
  expect(listeners()).toBe(0)

  const left = feed(new AbortController().signal)
  await take(left, 1)
  await left.return()
  expect(listeners()).toBe(0)

  const never = new AbortController()
  never.abort()
  expect(await take(feed(never.signal), 1)).toEqual([])
  // Not begun: nothing is held.
  feed(new AbortController().signal)
  add(1)
  expect(listeners()).toBe(0)
})

test('of a value that is its own change only the latest waits', async () => {
  const changes = createEmitter<string>()
  const leave = new AbortController()
  const reader = latest({ snapshot: () => 'a', onChange: (listener) => changes.on(listener) }, leave.signal)[
    Symbol.asyncIterator
  ]()
  await reader.next()
  for (const value of ['b', 'c', 'd']) changes.emit(value)
  expect((await reader.next()).value).toEqual({ kind: 'change', rev: 2, change: 'd' })
  leave.abort()
  expect(changes.size).toBe(0)
})

test('a list folds what happens to one thing, and is sent whole after a lot', async () => {
  const list = createWatchedList<{ id: string; n: number }>((item) => item.id)
  list.upsert({ id: 'a', n: 1 })
  const leave = new AbortController()
  const reader = list.feed(leave.signal)[Symbol.asyncIterator]()
  await reader.next()
  list.upsert({ id: 'b', n: 1 })
  list.upsert({ id: 'a', n: 2 })
  list.upsert({ id: 'a', n: 3 })
  list.remove('b')
  expect(await take(reader, 2)).toEqual([
    { kind: 'change', rev: 2, change: { upsert: { id: 'a', n: 3 } } },
    { kind: 'change', rev: 3, change: { remove: 'b' } },
  ])
  for (let i = 0; i < 100; i++) list.upsert({ id: `x${String(i)}`, n: i })
  const [whole] = await take(reader, 1)
  expect(whole).toMatchObject({ kind: 'snapshot', rev: 4 })
  expect(whole?.kind === 'snapshot' && whole.value.length).toBe(101)
  leave.abort()
  expect(list.watchers).toBe(0)
})

test('a push stream keeps the order, throws what it was ended with, and ends with its signal', async () => {
  const stream = createPushStream<number>(new AbortController().signal)
  stream.push(1)
  stream.push(2)
  stream.end(new Error('broken'))
  stream.push(3)
  const got: number[] = []
  await expect(
    (async () => {
      for await (const value of stream) got.push(value)
    })(),
  ).rejects.toThrow('broken')
  expect(got).toEqual([1, 2])

  const leave = new AbortController()
  const reader = createPushStream<number>(leave.signal)[Symbol.asyncIterator]()
  const next = reader.next()
  leave.abort()
  expect((await next).done).toBe(true)
})
