import { batchMeans, median } from '../../../shared/stats/index.ts'
import type { Clock } from './clock.ts'
import { Cut } from './cut.ts'
import { BURST_LEAD_MS } from './metrics-feed.ts'
import type { StreamSet } from './streams.ts'

export interface WindowEdges {
  openMs: number
  closeMs: number
  /** Where the window was meant to end: D after its opening, or earlier by the plan's precision. */
  nominalEndMs: number
  referenceStream: number
  /** Median gap between the reference stream's events, ms. */
  medianGapMs: number
}

interface WindowPlan {
  seconds: number
  targetPrecisionPercent?: number
  minSeconds?: number
  maxSeconds?: number
}

const POLL_MS = 25
/** How long after the window's end the streams' next events are waited for: those that lie across its edge. */
const TAIL = { gaps: 3, minMs: 250, maxMs: 2000, pollMs: 5 }
/** A stream without an event for this long before the edge is between two requests, or has nothing under way. */
const DECODING = { gaps: 10, minMs: 500 }
/** Nothing at all from any stream for this long: the server has stalled before the window could open. */
const SILENCE_MS = 30_000

interface Recorder {
  openMs: number | undefined
  reference: number
  /** Times of the reference stream's events, ms. */
  times: Float64Array
  count: number
  /** Each stream's last event, ms; by number of the stream. */
  lastMs: number[]
  /** Tokens of all streams by second since the opening. */
  seconds: number[]
  /** The edge is on the reference stream's first event at or after this. */
  closeAfterMs: number
  closeMs: number | undefined
}

function record(state: Recorder, stream: number, atMs: number, tokens: number): void {
  state.lastMs[stream] = atMs
  if (state.openMs === undefined) {
    state.openMs = atMs
    state.reference = stream
    state.closeAfterMs = Number.POSITIVE_INFINITY
  } else if (atMs > state.openMs && state.closeMs === undefined) {
    const second = Math.floor((atMs - state.openMs) / 1000)
    state.seconds[second] = (state.seconds[second] ?? 0) + tokens
  }
  if (stream !== state.reference) return
  if (state.closeMs === undefined && atMs >= state.closeAfterMs) state.closeMs = atMs
  if (state.count === state.times.length) {
    const grown = new Float64Array(state.times.length * 2)
    grown.set(state.times)
    state.times = grown
  }
  state.times[state.count] = atMs
  state.count += 1
}

function medianGap(state: Recorder): number {
  const gaps: number[] = []
  for (let i = 1; i < state.count; i += 1) {
    const gap = (state.times[i] ?? 0) - (state.times[i - 1] ?? 0)
    // Events of one read carry one time; they are one arrival.
    if (gap > 0) gaps.push(gap)
  }
  return median(gaps) ?? 0
}

/** Whether the rate is known well enough, from the full seconds so far. */
function isPrecise(seconds: number[], elapsedMs: number, targetPercent: number): boolean {
  const full = Array.from({ length: Math.floor(elapsedMs / 1000) }, (_, second) => seconds[second] ?? 0)
  const result = batchMeans(full)
  return result !== undefined && result.percent <= targetPercent
}

function nominalSeconds(plan: WindowPlan, state: Recorder, openMs: number, nowMs: number): number {
  if (plan.targetPrecisionPercent === undefined) return plan.seconds
  const maximum = Math.max(plan.maxSeconds ?? plan.seconds, plan.minSeconds ?? 0)
  const elapsed = (nowMs - openMs) / 1000
  const minimum = plan.minSeconds ?? Math.min(5, plan.seconds)
  if (elapsed >= minimum && isPrecise(state.seconds, nowMs - openMs, plan.targetPrecisionPercent))
    return Math.min(elapsed, maximum)
  return maximum
}

/**
 * Opens at the next event of any stream, which becomes the reference, and closes at that stream's first event after D, or at D + 3 median
 * gaps where that comes first. Half-open: the opening event's own tokens don't count, the closing event's do. Events that lie across an
 * edge are divided by time (countWindow), so the streams are listened to for one more event after the end.
 */
export async function runWindow(options: {
  streams: StreamSet
  clock: Clock
  signal: AbortSignal
  plan: WindowPlan
  onOpen?: (openMs: number) => void
  /** Shortly before the nominal end. */
  beforeEnd?: () => void
}): Promise<WindowEdges> {
  const { streams, clock, signal } = options
  const state: Recorder = {
    openMs: undefined,
    reference: -1,
    times: new Float64Array(4096),
    count: 0,
    lastMs: [],
    seconds: [],
    closeAfterMs: Number.POSITIVE_INFINITY,
    closeMs: undefined,
  }
  const waitingSince = clock.now()
  streams.watch((stream, atMs, tokens) => record(state, stream, atMs, tokens))
  try {
    while (state.openMs === undefined) {
      if (clock.now() - waitingSince > SILENCE_MS) {
        throw new Cut({ kind: 'failed', message: `no output from any stream for ${SILENCE_MS / 1000} s` })
      }
      await clock.sleep(5, signal)
    }
    const openMs = state.openMs
    options.onOpen?.(openMs)
    const nominalEndMs = await waitForEnd(state, options, openMs)
    const medianGapMs = medianGap(state)
    const latest = nominalEndMs + 3 * medianGapMs
    while (state.closeMs === undefined && clock.now() < latest) await clock.sleep(Math.min(POLL_MS, latest - clock.now()), signal)
    const closeMs = Math.min(state.closeMs ?? latest, latest)
    await waitForTail(state, clock, signal, closeMs, medianGapMs)
    return {
      openMs,
      closeMs,
      nominalEndMs,
      referenceStream: state.reference,
      medianGapMs,
    }
  } finally {
    streams.watch(undefined)
  }
}

/**
 * An event that comes after the edge brings tokens that were made before it, which only it can tell: each stream that was decoding gets the
 * time for one more.
 */
async function waitForTail(
  state: Recorder,
  clock: Clock,
  signal: AbortSignal,
  closeMs: number,
  medianGapMs: number,
): Promise<void> {
  const waitMs = Math.min(TAIL.maxMs, Math.max(TAIL.minMs, TAIL.gaps * medianGapMs))
  const untilMs = clock.now() + waitMs
  const sinceMs = closeMs - Math.max(DECODING.gaps * medianGapMs, DECODING.minMs)
  do {
    // At least one turn: what arrived before the edge may still stand in the queue.
    await clock.sleep(Math.min(TAIL.pollMs, waitMs), signal)
  } while (clock.now() < untilMs && state.lastMs.some((atMs) => atMs < closeMs && atMs > sinceMs))
}

/** Sleeps until the nominal end, which it returns; the edge may be taken from then on. */
async function waitForEnd(
  state: Recorder,
  options: { plan: WindowPlan; clock: Clock; signal: AbortSignal; beforeEnd?: () => void },
  openMs: number,
): Promise<number> {
  const { plan, clock, signal } = options
  const isAdaptive = plan.targetPrecisionPercent !== undefined
  let told = false
  for (;;) {
    const now = clock.now()
    const endMs = openMs + 1000 * nominalSeconds(plan, state, openMs, now)
    // An early end is decided in hindsight: its edge is the next event from now on.
    state.closeAfterMs = isAdaptive ? Math.max(endMs, now) : endMs
    if (endMs <= now) return endMs
    if (!told && endMs - now <= BURST_LEAD_MS) {
      told = true
      options.beforeEnd?.()
    }
    const pause = told ? endMs - now : Math.max(1, endMs - BURST_LEAD_MS - now)
    await clock.sleep(isAdaptive ? Math.min(pause, 500) : pause, signal)
  }
}

/** Edges of what was measured until an attempt was cut short. */
export function edgesUntil(openMs: number | undefined, originMs: number, stoppedMs: number): WindowEdges {
  return { openMs: openMs ?? originMs, closeMs: stoppedMs, nominalEndMs: stoppedMs, referenceStream: -1, medianGapMs: 0 }
}
