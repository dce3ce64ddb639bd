/** Time as the driver sees it; tests put a fake one in its place. */
export interface Clock {
  /** Monotonic ms on the same base as the client's stamps (performance.now()). */
  now(): number
  /** Unix ms. */
  wallMs(): number
  /** Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `tick` every `ms` until the returned function is called. */
  every(ms: number, tick: () => void): () => void
}

export function createClock(): Clock {
  return {
    now: () => performance.now(),
    wallMs: () => Date.now(),
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error)
        const stop = () => {
          clearTimeout(timer)
          reject(signal?.reason as Error)
        }
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', stop)
          resolve()
        }, ms)
        signal?.addEventListener('abort', stop, { once: true })
      })
    },
    every(ms, tick) {
      const timer = setInterval(tick, ms)
      return () => clearInterval(timer)
    },
  }
}

export const isoOf = (wallMs: number) => new Date(wallMs).toISOString()
