import { setTimeout as delay } from 'node:timers/promises'
import { isHistoryLocked } from '../store/index.ts'

const AGAIN_MS = 200
/** A lock that is shorter is no news. */
const SAY_AFTER_MS = 1000

export interface Patience {
  /** Since when another process has had the history, as a person reads it. */
  onLocked?: () => void
  onFree?: (lockedMs: number) => void
  /** How long a lock is waited for. */
  limitMs: () => number
}

/**
 * Does something with the history, again and again while another process has it locked: what a driver says is safe in its spool meanwhile.
 * Throws what `work` throws, the lock after the limit.
 */
export async function withPatience<Result>({ onLocked, onFree, limitMs }: Patience, work: () => Result): Promise<Result> {
  const startedAt = Date.now()
  let said = false
  for (;;) {
    try {
      const result = work()
      if (said) onFree?.(Date.now() - startedAt)
      return result
    } catch (error) {
      const lockedMs = Date.now() - startedAt
      if (!isHistoryLocked(error) || lockedMs > limitMs()) throw error
      if (!said && lockedMs >= SAY_AFTER_MS) {
        said = true
        onLocked?.()
      }
    }
    await delay(AGAIN_MS)
  }
}

/** Where a run starts, ends or goes on: longer than any backup of the file takes. */
export function patiently<Result>(work: () => Result, limitMs = 60_000): Promise<Result> {
  return withPatience({ limitMs: () => limitMs }, work)
}
