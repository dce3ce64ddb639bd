import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { createFeed, type FeedState, type FeedStore, type Subscribe } from './feed.ts'

/** Uses a shared feed (see app-state.ts); with a selector the component renders only when what it selects changes (shallow). */
export function useFeedStore<Value>(feed: FeedStore<Value>): FeedState<Value>
export function useFeedStore<Value, Part>(feed: FeedStore<Value>, select: (state: FeedState<Value>) => Part): Part
export function useFeedStore<Value>(
  feed: FeedStore<Value>,
  select: (state: FeedState<Value>) => unknown = (state) => state,
): unknown {
  useEffect(() => feed.use(), [feed])
  return useStore(feed, useShallow(select))
}

/**
 * A feed of this component's own. `key` says what is subscribed to: another key starts another subscription.
 * For one that several components read, make it in app-state.ts.
 */
export function useFeed<Value, Change>(
  key: string,
  subscribe: Subscribe<Value, Change>,
  reduce: (value: Value, change: Change) => Value,
): FeedState<Value> & { ask: () => void } {
  const [held, setHeld] = useState(() => ({ key, feed: createFeed(subscribe, reduce) }))
  let feed = held.feed
  if (held.key !== key) {
    feed = createFeed(subscribe, reduce)
    setHeld({ key, feed })
  }
  return { ...useFeedStore(feed), ask: feed.ask }
}
