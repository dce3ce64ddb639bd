import { setTimeout as delay } from 'node:timers/promises'

/** Time as this folder needs it; tests put a faster one in its place. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  nowMs(): number
  /** Resolves early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  },
}
