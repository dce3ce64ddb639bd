import type { Feed, FeedOf } from '../../../../shared/contract/changes.ts'

/** A value that changes. `RESET` in place of a change: it changed in a way that no change can say, so take it whole. */
export const RESET = Symbol('reset')

export interface Source<Value, Change> {
  /** The value of now. What was returned is never changed afterwards. */
  snapshot: () => Value
  onChange: (listener: (change: Change | typeof RESET) => void) => () => void
}

interface FeedOptions<Change> {
  /** Adds a change to those that wait, folding it into one of them where it can. */
  fold: (waiting: Change[], change: Change) => Change[]
  /** How much waits; beyond `limit` it is forgotten, and the reader gets the whole value instead. */
  weigh: (waiting: Change[]) => number
  limit: number
  /** Between two messages, ms; the contract says at most 20 a second. */
  intervalMs?: number
}

const MESSAGE_INTERVAL_MS = 50

/**
 * One reader's subscription: a snapshot, then numbered changes, at most one message in `intervalMs`, folded while the reader is
 * slow. Ends when the signal aborts, and listens no longer from that moment on, even if nobody asks for the next message.
 */
export async function* createFeed<Value, Change>(
  source: Source<Value, Change>,
  options: FeedOptions<Change>,
  signal: AbortSignal,
): AsyncGenerator<Feed<Value, Change>, void, undefined> {
  if (signal.aborted) return
  const intervalMs = options.intervalMs ?? MESSAGE_INTERVAL_MS
  const behind: { waiting: Change[]; whole: boolean } = { waiting: [], whole: false }
  let wake = () => {}
  const stop = source.onChange((change) => {
    if (change === RESET) behind.whole = true
    else if (!behind.whole) behind.waiting = options.fold(behind.waiting, change)
    if (behind.whole || options.weigh(behind.waiting) > options.limit) {
      behind.whole = true
      behind.waiting = []
    }
    wake()
  })
  const leave = () => {
    stop()
    wake()
  }
  signal.addEventListener('abort', leave, { once: true })
  try {
    let rev = 1
    yield { kind: 'snapshot', rev, value: source.snapshot() }
    for (;;) {
      await pause(intervalMs, signal)
      while (!behind.whole && behind.waiting.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (signal.aborted) return
      rev += 1
      const next = behind.whole ? undefined : behind.waiting.shift()
      if (next === undefined) {
        behind.whole = false
        behind.waiting = []
        yield { kind: 'snapshot', rev, value: source.snapshot() }
      } else {
        yield { kind: 'change', rev, change: next }
      }
    }
  } finally {
    signal.removeEventListener('abort', leave)
    stop()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
}

/** A value whose change is the whole new value: only the latest waits. */
export function latest<Value>(source: Source<Value, Value>, signal: AbortSignal): FeedOf<Value, Value> {
  return createFeed(source, { fold: (_waiting, change) => [change], weigh: () => 0, limit: 1 }, signal)
}
