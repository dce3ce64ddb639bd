import type { PublishedCell } from '../../machines/index.ts'

/**
 * How a published cell is paced. A page's total rate and its median time between tokens come from different averages (window against
 * median over requests), and with speculation they differ by up to 11 %. One pace for all streams can't give both; two can: the
 * texts of some requests are accepted better or worse than the others'.
 */
interface Pace {
  /** ms between tokens of most requests. */
  mainMs: number
  /** ms between tokens of the others. */
  alternateMs: number
  rule: AlternateRule
}

/**
 * Which requests are the others: those of every fourth stream or, where there are too few streams for a minority, every second or
 * third request of a stream, or every second one of the second stream.
 */
export type AlternateRule = 'fourth_stream' | 'second_request' | 'third_request' | 'second_stream_first_request'

/** What the published pages were measured with. */
const WINDOW_SECONDS = 30
const OUTPUT_TOKENS = 4096
/** The window opens this long after the first token: a second by default, three as published. */
const SETTLE_SECONDS = [1, 2, 3] as const
const TOTAL_TOLERANCE = 0.02
const MEDIAN_TOLERANCE = 0.03
/** Between a request's end and the arrival of the next one of its stream. */
const TURNAROUND_MS = 2

export function isAlternate(rule: AlternateRule, slot: number, ordinal: number): boolean {
  if (rule === 'fourth_stream') return slot % 4 === 3
  if (rule === 'second_request') return ordinal % 2 === 1
  if (rule === 'third_request') return ordinal % 3 === 1
  return slot % 2 === 1 && ordinal % 2 === 0
}

interface Outcome {
  totalTokensPerSecond: number
  medianMs: number
}

/** Tokens inside the window and ms between tokens of each request of one stream that starts at 0. */
function playStream(slot: number, pace: Pace, ttftMs: number, settleSeconds: number) {
  const opensMs = ttftMs + settleSeconds * 1000
  const closesMs = opensMs + WINDOW_SECONDS * 1000
  const medians: number[] = []
  let tokens = 0
  for (let ordinal = 0, startMs = 0; startMs < closesMs; ordinal += 1) {
    const itlMs = isAlternate(pace.rule, slot, ordinal) ? pace.alternateMs : pace.mainMs
    const firstMs = startMs + ttftMs
    const lastMs = firstMs + (OUTPUT_TOKENS - 1) * itlMs
    const inWindowMs = Math.min(lastMs, closesMs) - Math.max(firstMs, opensMs)
    if (inWindowMs > 0) tokens += inWindowMs / itlMs
    if (closesMs - firstMs > 2 * itlMs) medians.push(itlMs)
    startMs = lastMs + TURNAROUND_MS
  }
  return { tokens, medians }
}

/** What an ideal client measures of a cell paced like that. */
function predict(concurrency: number, pace: Pace, ttftMs: number, settleSeconds: number): Outcome {
  let tokens = 0
  const medians: number[] = []
  // Only the streams of the first four slots differ.
  const kinds = Math.min(concurrency, 4)
  for (let slot = 0; slot < kinds; slot += 1) {
    const streams = Math.floor((concurrency - slot - 1) / 4) + 1
    const share = concurrency < 4 ? 1 : streams
    const played = playStream(slot, pace, ttftMs, settleSeconds)
    tokens += played.tokens * share
    for (let copy = 0; copy < share; copy += 1) medians.push(...played.medians)
  }
  return { totalTokensPerSecond: tokens / WINDOW_SECONDS, medianMs: median(medians) }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}

/** The worst of both figures' errors, in tolerances. */
function cost(cell: Required<PublishedCell>, pace: Pace): number {
  let worst = 0
  for (const settle of SETTLE_SECONDS) {
    const outcome = predict(cell.concurrency, pace, cell.ttftMs, settle)
    const total = Math.abs(outcome.totalTokensPerSecond / cell.totalTokensPerSecond - 1) / TOTAL_TOLERANCE
    const middle = Math.abs(outcome.medianMs / cell.timeBetweenTokensMs - 1) / MEDIAN_TOLERANCE
    worst = Math.max(worst, total, middle)
  }
  return worst
}

/**
 * Good enough with one pace, in tolerances. Stricter from four streams on: there a second pace costs nothing, while with one or two
 * it fits windows of the published length only.
 */
const good = (concurrency: number) => (concurrency < 4 ? 0.8 : 1 / 3)

/** Finds the pace that gives a valid cell's published figures; `speculation` allows two of them. */
export function calibrate(cell: Required<PublishedCell>, speculation: boolean): Pace {
  const middleMs = cell.timeBetweenTokensMs
  let best: Pace = { mainMs: middleMs, alternateMs: middleMs, rule: 'fourth_stream' }
  let lowest = Infinity
  const consider = (mainMs: number, ratio: number, rule: AlternateRule) => {
    const pace = { mainMs, alternateMs: mainMs * ratio, rule }
    const value = cost(cell, pace)
    if (value >= lowest) return
    lowest = value
    best = pace
  }
  for (let permille = -60; permille <= 60; permille += 1) consider(middleMs * (1 + permille / 1000), 1, 'fourth_stream')
  if (lowest <= good(cell.concurrency) || !speculation) return best
  for (const rule of rulesFor(cell.concurrency)) {
    // A minority can't move the median; where the median is the mean of both paces, the main one may be further off.
    const reach = rule === 'second_request' ? 120 : 30
    for (let permille = -reach; permille <= reach; permille += 3) {
      for (let ratio = 0.74; ratio <= 1.6; ratio += 0.02) consider(middleMs * (1 + permille / 1000), ratio, rule)
    }
  }
  return best
}

function rulesFor(concurrency: number): AlternateRule[] {
  if (concurrency >= 4) return ['fourth_stream']
  return concurrency === 1
    ? ['third_request', 'second_request']
    : ['second_stream_first_request', 'third_request', 'second_request']
}
