import type { FeedOf } from '../../../../shared/contract/changes.ts'
import { createEmitter } from './emitter.ts'
import { createFeed, type RESET, type Source } from './feed.ts'

type ListChange<Item> = { upsert: Item } | { remove: string; why?: string }

/** More single changes than this are a new list. */
const LIMIT = 10

/** A list of named things that readers can watch. */
interface WatchedList<Item> extends Source<Item[], ListChange<Item>> {
  upsert: (item: Item) => void
  /** `why`: for people, where it is not their own doing. */
  remove: (id: string, why?: string) => void
  get: (id: string) => Item | undefined
  /** How many listen now. */
  readonly watchers: number
  feed: (signal: AbortSignal) => FeedOf<Item[], ListChange<Item>>
}

export function createWatchedList<Item>(idOf: (item: Item) => string): WatchedList<Item> {
  const items = new Map<string, Item>()
  const changes = createEmitter<ListChange<Item> | typeof RESET>()
  const keyOf = (change: ListChange<Item>) => ('remove' in change ? change.remove : idOf(change.upsert))
  const list: WatchedList<Item> = {
    snapshot: () => [...items.values()],
    onChange: (listener) => changes.on(listener),
    upsert(item) {
      items.set(idOf(item), item)
      changes.emit({ upsert: item })
    },
    remove(id, why) {
      if (items.delete(id)) changes.emit({ remove: id, ...(why === undefined ? {} : { why }) })
    },
    get: (id) => items.get(id),
    get watchers() {
      return changes.size
    },
    feed: (signal) =>
      createFeed(
        list,
        {
          fold: (waiting, change) => [...waiting.filter((one) => keyOf(one) !== keyOf(change)), change],
          weigh: (waiting) => waiting.length,
          limit: LIMIT,
        },
        signal,
      ),
  }
  return list
}
