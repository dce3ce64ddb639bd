import type { Feed } from '../../../shared/contract/changes.ts'

export interface FakeFeed<Value, Change> {
  readonly value: Value
  push(change: Change): void
  watch(signal: AbortSignal): AsyncGenerator<Feed<Value, Change>>
  /** Leaves one number out, as a lost message would. */
  skipNumber(): void
}

/** A feed as the engine's: a snapshot for whoever comes, numbered changes from there on. */
export function createFakeFeed<Value, Change>(
  initial: Value,
  reduce: (value: Value, change: Change) => Value,
): FakeFeed<Value, Change> {
  let value = initial
  let rev = 0
  const readers = new Set<(message: Feed<Value, Change>) => void>()
  return {
    get value() {
      return value
    },
    push: (change) => {
      value = reduce(value, change)
      rev += 1
      for (const reader of readers) reader({ kind: 'change', rev, change })
    },
    skipNumber: () => {
      rev += 1
    },
    watch: async function* (signal) {
      const queue: Feed<Value, Change>[] = [{ kind: 'snapshot', rev, value }]
      let wake = () => {}
      const reader = (message: Feed<Value, Change>) => {
        queue.push(message)
        wake()
      }
      readers.add(reader)
      const leave = () => {
        wake()
      }
      signal.addEventListener('abort', leave)
      try {
        while (!signal.aborted) {
          const next = queue.shift()
          if (next !== undefined) yield next
          else
            await new Promise<void>((resolve) => {
              wake = resolve
            })
        }
      } finally {
        readers.delete(reader)
        signal.removeEventListener('abort', leave)
      }
    },
  }
}

/** Rejects nothing: it simply ends early when the caller leaves. */
export const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
