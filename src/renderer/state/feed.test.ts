import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Feed } from '../../shared/contract/changes.ts'
import { createFeed, type FeedHandlers } from './feed.ts'

type Message = Feed<number[], number>

function setUp() {
  const asked: (FeedHandlers<number[], number> & { isLeft: boolean })[] = []
  const feed = createFeed<number[], number>(
    (handlers) => {
      const subscription = { ...handlers, isLeft: false }
      asked.push(subscription)
      return {
        unsubscribe: () => {
          subscription.isLeft = true
        },
      }
    },
    (value, change) => [...value, change],
  )
  const say = (message: Message) => asked.at(-1)?.onData(message)
  return { feed, asked, say }
}
const snapshot = (rev: number, value: number[]): Message => ({ kind: 'snapshot', rev, value })
const change = (rev: number, it: number): Message => ({ kind: 'change', rev, change: it })

describe('a feed', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('takes the snapshot and applies numbered changes', () => {
    const { feed, say, asked } = setUp()
    feed.use()
    expect(feed.getState().status).toBe('waiting')
    say(snapshot(7, [1]))
    say(change(8, 2))
    say(change(9, 3))
    expect(feed.getState()).toEqual({ status: 'live', value: [1, 2, 3] })
    expect(asked).toHaveLength(1)
  })

  it('asks again on a gap, keeps the old value until the new snapshot, and drops late words of the old subscription', () => {
    const { feed, say, asked } = setUp()
    feed.use()
    say(snapshot(1, [1]))
    say(change(3, 9))
    expect(asked).toHaveLength(2)
    expect(asked[0]?.isLeft).toBe(true)
    expect(feed.getState().value).toEqual([1])
    asked[0]?.onData(change(2, 5))
    expect(feed.getState().value).toEqual([1])
    say(snapshot(4, [1, 2, 9]))
    expect(feed.getState()).toEqual({ status: 'live', value: [1, 2, 9] })
  })

  it('asks again when a number comes twice', () => {
    const { feed, say, asked } = setUp()
    feed.use()
    say(snapshot(1, []))
    say(change(2, 1))
    say(change(2, 1))
    expect(asked).toHaveLength(2)
    expect(feed.getState().value).toEqual([1])
  })

  it('keeps the last value as stale while the engine is gone, and is live again with its snapshot', () => {
    const { feed, say, asked } = setUp()
    feed.use()
    say(snapshot(1, [1]))
    asked[0]?.onConnectionStateChange?.({ state: 'connecting' })
    expect(feed.getState()).toEqual({ status: 'stale', value: [1] })
    say(snapshot(0, [4]))
    expect(feed.getState()).toEqual({ status: 'live', value: [4] })
  })

  it('fails with the engine’s words, and starts over when asked', () => {
    const { feed, say, asked } = setUp()
    feed.use()
    asked[0]?.onError(new Error('no such thing'))
    expect(feed.getState()).toMatchObject({ status: 'failed', error: { evidence: ['no such thing'] } })
    feed.ask()
    say(snapshot(1, [1]))
    expect(feed.getState()).toEqual({ status: 'live', value: [1] })
  })

  it('is one subscription for all its users, and ends a little after the last one left', () => {
    const { feed, asked, say } = setUp()
    const leaveOne = feed.use()
    const leaveTwo = feed.use()
    expect(asked).toHaveLength(1)
    say(snapshot(1, [1]))
    leaveOne()
    leaveOne()
    vi.advanceTimersByTime(60_000)
    expect(asked[0]?.isLeft).toBe(false)
    leaveTwo()
    expect(asked[0]?.isLeft).toBe(false)
    const back = feed.use()
    vi.advanceTimersByTime(60_000)
    expect(asked[0]?.isLeft).toBe(false)
    back()
    vi.advanceTimersByTime(60_000)
    expect(asked[0]?.isLeft).toBe(true)
    feed.use()
    expect(asked).toHaveLength(2)
  })
})
