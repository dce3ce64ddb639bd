import type { Clock } from './clock.ts'

export interface FakeClock extends Clock {
  /** Calls back at a moment of fake time. */
  at(ms: number, callback: () => void): void
  /** Advances from timer to timer until the promise has settled. */
  run<T>(promise: Promise<T>, limitMs?: number): Promise<T>
}

const START_WALL_MS = Date.UTC(2026, 0, 1)

/** Fake time: nothing waits, timers fire in order as fast as the code behind them runs. */
export function createFakeClock(): FakeClock {
  let nowMs = 1000
  let counter = 0
  const timers: { at: number; order: number; callback: () => void; live: boolean }[] = []

  function add(at: number, callback: () => void) {
    const timer = { at: Math.max(at, nowMs), order: counter++, callback, live: true }
    // Sorted insertion: the list is short.
    let index = timers.length
    while (index > 0 && (timers[index - 1]?.at ?? 0) > timer.at) index -= 1
    timers.splice(index, 0, timer)
    return timer
  }

  const clock: FakeClock = {
    now: () => nowMs,
    wallMs: () => START_WALL_MS + nowMs,
    at: (ms, callback) => void add(ms, callback),
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error)
        const timer = add(nowMs + ms, resolve)
        signal?.addEventListener('abort', () => {
          timer.live = false
          reject(signal.reason as Error)
        })
      })
    },
    every(ms, tick) {
      let stopped = false
      const next = () => {
        if (stopped) return
        tick()
        add(nowMs + ms, next)
      }
      add(nowMs + ms, next)
      return () => {
        stopped = true
      }
    },
    async run(promise, limitMs = 24 * 3_600_000) {
      let settled = false
      const watched = promise.finally(() => {
        settled = true
      })
      watched.catch(() => undefined)
      const endMs = nowMs + limitMs
      for (;;) {
        // Everything that the last timer has set going runs before time moves on.
        await new Promise((resolve) => setImmediate(resolve))
        if (settled) return promise
        const timer = timers.shift()
        if (!timer) throw new Error('the fake clock has no timer left: something waits for ever')
        if (timer.at > endMs) throw new Error(`not done after ${limitMs} ms of fake time`)
        nowMs = timer.at
        if (timer.live) timer.callback()
      }
    },
  }
  return clock
}
