import { abortable } from './abortable.ts'
import type { Plan } from '../../../shared/model/plan.ts'
import type { Clock } from './clock.ts'
import { Cut } from './cut.ts'
import type { MetricsFeed, Scrape } from './metrics-feed.ts'

export interface BarrierState {
  /** The last attempt's requests were not seen to leave the server. */
  ownLeftovers: boolean
}

const QUIET_MS = 200
const OWN_LIMIT_MS = 300_000
const DRAIN_LIMIT_MS = 30_000
const ENDING_LIMIT_MS = 2000
const ERROR_GRACE_MS = 2000

async function load(feed: MetricsFeed): Promise<number | undefined> {
  const scrape = await feed.scrape()
  const { running, waiting } = scrape?.sample ?? {}
  return running === undefined && waiting === undefined ? undefined : (running ?? 0) + (waiting ?? 0)
}

const pollMs = (elapsedMs: number) => Math.min(200, 10 + elapsedMs / 4)

/**
 * Waits until nothing runs or waits on the server (docs/measurement.md 3.2). Load that was left by us must go or the cell is an error; load that
 * isn't ours is treated as the plan says. Returns how many foreign requests are accepted (`measure`).
 */
export async function barrier(options: {
  feed: MetricsFeed
  clock: Clock
  signal: AbortSignal
  state: BarrierState
  plan: Pick<Plan, 'foreignLoad' | 'foreignWaitSeconds'>
  onWaiting: (requests: number) => void
}): Promise<number> {
  const { feed, clock, signal, state, plan } = options
  if (!feed.available) {
    await clock.sleep(QUIET_MS, signal)
    return 0
  }
  const start = clock.now()
  let told = false
  let failures = 0
  for (;;) {
    const now = await abortable(load(feed), signal)
    const elapsed = clock.now() - start
    if (now === 0) {
      state.ownLeftovers = false
      return 0
    }
    if (now === undefined) {
      failures += 1
      // Metrics without these gauges, or that stopped answering: quiet is all that can be had.
      if (failures >= 3) return 0
    } else if (state.ownLeftovers) {
      if (elapsed > OWN_LIMIT_MS)
        throw new Cut({ kind: 'failed', message: `barrier: ${now} earlier requests are still on the server` })
    } else {
      if (!told && elapsed > ERROR_GRACE_MS / 2) {
        told = true
        options.onWaiting(now)
      }
      if (plan.foreignLoad === 'measure' && elapsed >= ERROR_GRACE_MS / 2) return now
      const limit = plan.foreignLoad === 'error' ? ERROR_GRACE_MS : 1000 * plan.foreignWaitSeconds
      if (plan.foreignLoad !== 'measure' && elapsed >= limit) {
        const waited = plan.foreignLoad === 'error' ? '' : ` after ${plan.foreignWaitSeconds} s of waiting`
        throw new Cut({ kind: 'failed', message: `foreign load: ${foreignText(now)} on the server${waited}` })
      }
    }
    await clock.sleep(pollMs(elapsed), signal)
  }
}

/** Requests beyond our own streams in the last scrapes of an attempt: what will stay when ours are gone. */
export function foreignNow(scrapes: Scrape[], concurrency: number): number {
  const last = scrapes.slice(-2)
  if (last.length < 2) return 0
  return Math.max(0, Math.min(...last.map(({ sample }) => (sample.running ?? 0) + (sample.waiting ?? 0) - concurrency)))
}

/** After the streams were closed: waits until the server has let go of them. What stays is the next barrier's business. */
export async function drain(options: {
  feed: MetricsFeed
  clock: Clock
  state: BarrierState
  foreign: number
  /** The run is to end: a server that hangs shall not hold it up. */
  isEnding: boolean
}): Promise<void> {
  const { feed, clock, state, foreign, isEnding } = options
  if (!feed.available) return
  const limitMs = isEnding ? ENDING_LIMIT_MS : DRAIN_LIMIT_MS
  await Promise.race([untilGone(feed, clock, state, foreign, limitMs), clock.sleep(limitMs)])
}

async function untilGone(feed: MetricsFeed, clock: Clock, state: BarrierState, foreign: number, limitMs: number): Promise<void> {
  const start = clock.now()
  for (let failures = 0; failures < 3; ) {
    const now = await load(feed)
    if (now !== undefined && now <= foreign) return
    if (now === undefined) failures += 1
    const elapsed = clock.now() - start
    if (elapsed >= limitMs - 200) {
      state.ownLeftovers = true
      return
    }
    await clock.sleep(pollMs(elapsed))
  }
}

/** "2 requests that aren't ours are". */
export function foreignText(count: number): string {
  return count === 1 ? "1 request that isn't ours is" : `${count} requests that aren't ours are`
}
