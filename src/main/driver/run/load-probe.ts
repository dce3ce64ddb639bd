import { monitorEventLoopDelay } from 'node:perf_hooks'
import { median } from '../../../shared/stats/index.ts'

export interface ProbeResult {
  latenessP99Ms?: number
  /** What the median TTFT may be too long by: first outputs read behind others of the same turn, and waiting for the processor. */
  firstLatenessP50Ms?: number
  loopDelayP99Ms?: number
  loopDelayMaxMs?: number
  /** CPU seconds of this process per second. */
  cpuShare?: number
}

/** Watches the driver itself while it measures. */
export interface LoadProbe {
  /** The streams are about to start: their first outputs are watched from now on. */
  begin(): void
  /** The window opens: all else is watched from now on. */
  openWindow(): void
  /** An event's stamp, in the socket callback; `first` for the first output of its request. */
  note(atMs: number, first: boolean): void
  end(): ProbeResult
}

const LOOP_RESOLUTION_MS = 10
const BUCKET_MS = 0.05
const BUCKETS = 20_000

/**
 * A request crosses three wake-ups until its first output is read: ours to send it, the server's to take it, ours to read. The median of the
 * longest of three is each one's 79th percentile (0.5 = 0.79³).
 */
const WAKE_UP_PERCENTILE = 79
/** Of what an event stood behind others of its turn: the server sent them one after the other too. */
const BEHIND_SHARE = 0.5

/** What a timer of ours was late, ms. */
function delaysOf(histogram: ReturnType<typeof monitorEventLoopDelay>): { wakeUp: number; p99: number; max: number } | undefined {
  if (!Number.isFinite(histogram.mean) || histogram.max === 0) return undefined
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - LOOP_RESOLUTION_MS)
  return {
    wakeUp: delayMs(histogram.percentile(WAKE_UP_PERCENTILE)),
    p99: delayMs(histogram.percentile(99)),
    max: delayMs(histogram.max),
  }
}

/**
 * Lateness of an event: how long it stood behind other events of the same turn of the loop before its stamp was taken. What holds up the
 * loop as a whole (garbage collection, a busy core) is the loop delay.
 */
export function createLoadProbe(): LoadProbe {
  const histogram = new Uint32Array(BUCKETS)
  let firsts: number[] = []
  let isActive = false
  let isOpen = false
  let turnStartMs: number | undefined
  let count = 0
  let cpu = process.cpuUsage()
  let startMs = 0
  const wholeDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  const windowDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })

  function latenessP99(): number | undefined {
    if (count === 0) return undefined
    let seen = 0
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      seen += histogram[bucket] ?? 0
      if (seen >= count * 0.99) return bucket * BUCKET_MS
    }
    return BUCKETS * BUCKET_MS
  }

  return {
    begin() {
      firsts = []
      turnStartMs = undefined
      isActive = true
      isOpen = false
      count = 0
      wholeDelay.reset()
      wholeDelay.enable()
    },
    openWindow() {
      histogram.fill(0)
      cpu = process.cpuUsage()
      startMs = performance.now()
      windowDelay.reset()
      windowDelay.enable()
      isOpen = true
    },
    note(atMs, first) {
      if (!isActive) return
      if (turnStartMs === undefined) {
        turnStartMs = atMs
        setImmediate(() => (turnStartMs = undefined))
      }
      const lateMs = atMs - turnStartMs
      if (first) firsts.push(lateMs)
      if (!isOpen) return
      const bucket = Math.min(BUCKETS - 1, Math.floor(lateMs / BUCKET_MS))
      histogram[bucket] = (histogram[bucket] ?? 0) + 1
      count += 1
    },
    end() {
      const used = process.cpuUsage(cpu)
      const seconds = (performance.now() - startMs) / 1000
      wholeDelay.disable()
      windowDelay.disable()
      const inWindow = isOpen ? delaysOf(windowDelay) : undefined
      const wakeUpMs = isActive ? delaysOf(wholeDelay)?.wakeUp : undefined
      const firstP50 = median(firsts)
      const lateness = latenessP99()
      const hasOpened = isOpen
      isActive = false
      isOpen = false
      return {
        ...(lateness === undefined ? {} : { latenessP99Ms: lateness }),
        ...(firstP50 === undefined ? {} : { firstLatenessP50Ms: BEHIND_SHARE * firstP50 + (wakeUpMs ?? 0) }),
        ...(inWindow ? { loopDelayP99Ms: inWindow.p99, loopDelayMaxMs: inWindow.max } : {}),
        ...(hasOpened && seconds > 0 ? { cpuShare: (used.user + used.system) / 1e6 / seconds } : {}),
      }
    },
  }
}
