import type { MetricsSample } from '../../../shared/model/telemetry.ts'
import type { DriverClient } from '../stream/types.ts'
import type { Clock } from './clock.ts'

export interface Scrape {
  sample: MetricsSample
  /** When the answer ended, by the driver's clock. */
  endMs: number
  latencyMs: number
}

export interface MetricsFeed {
  readonly available: boolean
  /** A scrape made now; undefined where there are no metrics or it failed. */
  scrape(): Promise<Scrape | undefined>
  /** A few scrapes one after the other, at the edges of a window. */
  burst(): void
  /** Scrapes whose answer ended at or after `fromMs`, oldest first. */
  since(fromMs: number): Scrape[]
  /** Scrapes by itself about once a second until the returned function is called. */
  start(onScrape: (scrape: Scrape) => void): () => void
}

/** Slower answers than this say little about their moment (docs/measurement.md 4, server cross-check). */
export const QUICK_SCRAPE_MS = 30
const PERIOD_MS = 1000
/** After a slow answer the next try comes sooner: a busy second should not go by without a quick one. */
const RETRY_MS = 250
const KEPT = 8192
const BURST = 4
const BURST_GAP_MS = 90
/** How long before a window's end the last burst begins. */
export const BURST_LEAD_MS = 420
const TIMEOUT_MS = 10_000

export function createMetricsFeed(options: {
  client: DriverClient
  clock: Clock
  available: boolean
  parse: (text: string) => MetricsSample | undefined
}): MetricsFeed {
  const { client, clock, parse } = options
  const kept: Scrape[] = []

  async function scrape(): Promise<Scrape | undefined> {
    if (!options.available) return undefined
    try {
      const answer = await client.request('GET', '/metrics', { timeoutMs: TIMEOUT_MS })
      const sample = answer.status === 200 ? parse(answer.text) : undefined
      if (sample === undefined) return undefined
      const result = { sample, endMs: answer.endMs, latencyMs: answer.latencyMs }
      kept.push(result)
      if (kept.length > KEPT) kept.splice(0, KEPT / 2)
      return result
    } catch {
      return undefined
    }
  }

  return {
    available: options.available,
    scrape,
    burst() {
      const run = async () => {
        for (let count = 0; count < BURST; count += 1) {
          await scrape()
          await clock.sleep(BURST_GAP_MS)
        }
      }
      if (options.available) run().catch(() => undefined)
    },
    since: (fromMs) => kept.filter((entry) => entry.endMs >= fromMs),
    start(onScrape) {
      const stopped = new AbortController()
      const run = async () => {
        for (;;) {
          const startMs = clock.now()
          const result = await scrape()
          if (stopped.signal.aborted) return
          if (result) onScrape(result)
          const period = result && result.latencyMs >= QUICK_SCRAPE_MS ? RETRY_MS : PERIOD_MS
          await clock.sleep(Math.max(50, period - (clock.now() - startMs)), stopped.signal)
        }
      }
      if (options.available) run().catch(() => undefined)
      return () => stopped.abort(new Error('stopped'))
    },
  }
}
