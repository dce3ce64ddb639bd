import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface ProbeResult {
  latenessP99Ms?: number
  loopDelayP99Ms?: number
  /** CPU seconds of this process per second. */
  cpuShare?: number
}

/** Watches the driver itself while it measures. */
export interface LoadProbe {
  begin(): void
  /** An event's stamp, in the socket callback. */
  note(atMs: number): void
  end(): ProbeResult
}

const LOOP_RESOLUTION_MS = 10
const BUCKET_MS = 0.05
const BUCKETS = 20_000

/**
 * Lateness of an event: how long it stood behind other events of the same turn of the loop before its stamp was taken. What holds up the
 * loop as a whole (garbage collection, a busy core) is the loop delay.
 */
export function createLoadProbe(): LoadProbe {
  const histogram = new Uint32Array(BUCKETS)
  let active = false
  let turnStartMs: number | undefined
  let count = 0
  let cpu = process.cpuUsage()
  let startMs = 0
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })

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
      histogram.fill(0)
      count = 0
      turnStartMs = undefined
      cpu = process.cpuUsage()
      startMs = performance.now()
      loopDelay.reset()
      loopDelay.enable()
      active = true
    },
    note(atMs) {
      if (!active) return
      if (turnStartMs === undefined) {
        turnStartMs = atMs
        setImmediate(() => (turnStartMs = undefined))
      }
      const bucket = Math.min(BUCKETS - 1, Math.floor((atMs - turnStartMs) / BUCKET_MS))
      histogram[bucket] = (histogram[bucket] ?? 0) + 1
      count += 1
    },
    end() {
      active = false
      loopDelay.disable()
      const used = process.cpuUsage(cpu)
      const seconds = (performance.now() - startMs) / 1000
      const lateness = latenessP99()
      const delay = loopDelay.percentile(99) / 1e6 - LOOP_RESOLUTION_MS
      return {
        ...(lateness === undefined ? {} : { latenessP99Ms: lateness }),
        ...(Number.isFinite(delay) && loopDelay.max > 0 ? { loopDelayP99Ms: Math.max(0, delay) } : {}),
        ...(seconds > 0 ? { cpuShare: (used.user + used.system) / 1e6 / seconds } : {}),
      }
    },
  }
}
