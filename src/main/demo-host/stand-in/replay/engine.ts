import type { EngineRequest, Scheduler, Submitted } from './scheduler.ts'

/** The scheduler on the real clock: one timer for everything that is due. */
export interface Engine {
  readonly scheduler: Scheduler
  now(): number
  submit(request: EngineRequest): Submitted
  dispose(): void
}

/** Node's timers know whole ms; firing up to this early keeps the mean error at nought. */
const EARLY_MS = 0.6

export function createEngine(scheduler: Scheduler, now: () => number = () => performance.now()): Engine {
  let timer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined
  let timerDueMs = Infinity

  function disarm(): void {
    clearTimeout(timer)
    clearImmediate(immediate)
    timer = undefined
    immediate = undefined
    timerDueMs = Infinity
  }

  function arm(): void {
    const due = scheduler.nextDueMs()
    if (due === undefined) {
      disarm()
      return
    }
    if (due >= timerDueMs) return // it will fire sooner, and look again
    disarm()
    timerDueMs = due
    const delayMs = due - now()
    if (delayMs <= EARLY_MS) immediate = setImmediate(tick)
    else timer = setTimeout(tick, Math.max(1, Math.round(delayMs)))
  }

  function tick(): void {
    disarm()
    scheduler.advance(now() + EARLY_MS)
    arm()
  }

  return {
    scheduler,
    now,
    submit(request) {
      const submitted = scheduler.submit(request)
      arm()
      return {
        get cachedTokens() {
          return submitted.cachedTokens
        },
        abort(nowMs) {
          submitted.abort(nowMs)
          arm()
        },
      }
    },
    dispose: disarm,
  }
}
