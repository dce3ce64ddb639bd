import type { EventColumns } from '../event-log.ts'
import type { TrackedRequest } from '../streams.ts'

export interface WindowTokens {
  tokens: number
  events: number
  /** Time of the last event that brought tokens; the opening where none did. */
  lastTokenUs: number
  /** Tokens and events by second since the opening. */
  secondTokens: number[]
  secondEvents: number[]
}

/**
 * Tokens that one counted token of each request stands for. 1 where usage came with every event; where only the request's end told its
 * usage, that usage is spread evenly over its events, and a request that was cut is taken to be like the whole ones (measurement.md 4).
 */
export function eventWeights(requests: TrackedRequest[]): Float64Array {
  const isEstimated = ({ result }: TrackedRequest) => result.tokenSource === 'events'
  const whole = requests.filter((request) => isEstimated(request) && request.result.completed && request.loggedTokens > 0)
  const told = whole.reduce((sum, request) => sum + request.result.outputTokens, 0)
  const logged = whole.reduce((sum, request) => sum + request.loggedTokens, 0)
  const typical = logged > 0 && told > 0 ? told / logged : 1
  return Float64Array.from(requests, (request) => {
    if (!isEstimated(request)) return 1
    const { completed, outputTokens } = request.result
    return completed && request.loggedTokens > 0 && outputTokens > 0 ? outputTokens / request.loggedTokens : typical
  })
}

/** Sums events with openUs < t ≤ closeUs: half-open, so that neighbouring windows share no event and lose none. */
export function countWindow(columns: EventColumns, weights: ArrayLike<number>, openUs: number, closeUs: number): WindowTokens {
  const result: WindowTokens = { tokens: 0, events: 0, lastTokenUs: openUs, secondTokens: [], secondEvents: [] }
  const { timesUs, tokens, requests } = columns
  for (let i = 0; i < timesUs.length; i += 1) {
    const time = timesUs[i] ?? 0
    if (time <= openUs) continue
    if (time > closeUs) continue
    const amount = (tokens[i] ?? 0) * (weights[requests[i] ?? 0] ?? 1)
    const second = Math.floor((time - openUs) / 1e6)
    result.tokens += amount
    result.events += 1
    result.secondTokens[second] = (result.secondTokens[second] ?? 0) + amount
    result.secondEvents[second] = (result.secondEvents[second] ?? 0) + 1
    if (amount > 0) result.lastTokenUs = time
  }
  return result
}

export interface TotalRate {
  tokensPerSecond: number
  /** The divisor: seconds to the last counted token, or the whole window where the output stalled before its end. */
  measuredSeconds: number
  stalled: boolean
}

const STALL_FLOOR_US = 100_000

/** Total tok/s as measurement.md 4 defines it. Undefined where nothing was counted. */
export function totalRate(
  window: WindowTokens,
  edges: { openUs: number; closeUs: number; nominalEndUs: number; medianGapUs: number },
): TotalRate | undefined {
  if (window.tokens <= 0) return undefined
  const early = edges.nominalEndUs - window.lastTokenUs
  const stalled = early > Math.max(3 * edges.medianGapUs, STALL_FLOOR_US)
  const measuredSeconds = ((stalled ? edges.closeUs : window.lastTokenUs) - edges.openUs) / 1e6
  return measuredSeconds > 0 ? { tokensPerSecond: window.tokens / measuredSeconds, measuredSeconds, stalled } : undefined
}
