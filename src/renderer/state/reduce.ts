/** Lists of named things: an upsert replaces in place or appends, a removal leaves the rest untouched. */
export function upsertBy<Item>(list: readonly Item[], item: Item, idOf: (item: Item) => string): Item[] {
  const id = idOf(item)
  const at = list.findIndex((it) => idOf(it) === id)
  return at === -1 ? [...list, item] : list.with(at, item)
}

export function removeBy<Item>(list: readonly Item[], id: string, idOf: (item: Item) => string): Item[] {
  return list.filter((it) => idOf(it) !== id)
}

/** A change that is the whole new value. */
export const replace = <Value>(_before: Value, change: Value): Value => change
