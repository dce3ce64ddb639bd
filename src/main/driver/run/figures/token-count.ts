import type { CellFigures } from '../../../../shared/model/cell.ts'
import type { Scrape } from '../metrics-feed.ts'
import type { TrackedRequest } from '../streams.ts'
import type { Measured } from './measured.ts'
import { compareCounts } from './server-check.ts'
import { countArrived } from './window-tokens.ts'

/** How the tokens of an attempt were counted. */
export interface TokenCount {
  source: NonNullable<CellFigures['tokenSource']>
  /** Tokens that one logged token of each request stands for in the window. */
  weights: Float64Array
  /** The same for the request by itself: what it told at its end is its own. */
  requestWeights: Float64Array
  /** Tokens an event, where events were counted and their unit is known. */
  tokensPerEvent?: number
  /** The server's counter against ours; absent where our count was made by it. */
  check: CellFigures['serverCheck']
}

/** Where counter and events agree this well, the counter's own uncertainty (a step counted that isn't sent yet) is what is left. */
const AGREES = 0.001
/** Scrapes this far apart, as a share of the window, say what the window's events hold. */
const COVERED = 0.5

const isEstimated = ({ result }: TrackedRequest): boolean => result.tokenSource === 'events' && result.firstEventMs !== undefined
const isTold = (request: TrackedRequest): boolean =>
  isEstimated(request) && request.result.completed && request.result.usageTold === true && request.loggedTokens > 0

/** What an event holds by the requests that told their usage at their end; undefined where none did. */
function typicalOf(requests: TrackedRequest[]): number | undefined {
  const whole = requests.filter(isTold)
  const told = whole.reduce((sum, request) => sum + request.result.outputTokens, 0)
  const logged = whole.reduce((sum, request) => sum + request.loggedTokens, 0)
  return told > 0 && logged > 0 ? told / logged : undefined
}

/** 1 where usage came with every event; a usage told at the end is spread evenly over its request's events; `cut` for all others. */
export function eventWeights(requests: TrackedRequest[], cut: number): Float64Array {
  return Float64Array.from(requests, (request) => {
    if (!isEstimated(request)) return 1
    return isTold(request) ? request.result.outputTokens / request.loggedTokens : cut
  })
}

/** The server's counter counts for everybody. */
function hasForeignLoad(measured: Measured, inside: Scrape[]): boolean {
  const streams = new Set(measured.requests.map((request) => request.stream)).size
  const above = inside.filter(({ sample }) => (sample.running ?? 0) + (sample.waiting ?? 0) > streams)
  return measured.foreignBefore > 0 || above.length >= 2
}

/**
 * Tokens from the best witness there is: the server's running count with every event; else events, as many tokens each as the requests
 * that ended in the attempt told of themselves, set right by the growth of the server's counter; else events whose unit nobody knows.
 */
export function countTokens(measured: Measured, inside: Scrape[]): TokenCount {
  const { requests, log, edges, oneTokenAnEvent } = measured
  if (!requests.some(isEstimated)) {
    const weights = eventWeights(requests, 1)
    return { source: 'usage', weights, requestWeights: weights, check: compareCounts(measured, weights, inside)?.check }
  }
  const typical = typicalOf(requests)
  const established = typical ?? (oneTokenAnEvent ? 1 : undefined)
  const weights = eventWeights(requests, established ?? 1)
  const compared = hasForeignLoad(measured, inside) ? undefined : compareCounts(measured, weights, inside)
  const own = {
    source: 'final_usage' as const,
    weights,
    requestWeights: weights,
    ...(established === undefined ? {} : { tokensPerEvent: established }),
  }
  const isCovered = compared && compared.check.seconds * 1000 >= COVERED * (edges.closeMs - edges.openMs)
  if (!compared || !isCovered) {
    return { ...own, source: established === undefined ? 'events' : 'final_usage', check: undefined }
  }
  const { check, fromUs, toUs } = compared
  if (established !== undefined && Math.abs(check.differencePercent) <= 100 * AGREES) return { ...own, check }
  // A request tells how many tokens its events held, but not which ones: on a busy server they come together at times.
  const byUsage = requests.map((request) => (isEstimated(request) ? 0 : 1))
  const usageTokens = countArrived(log.columns(), byUsage, fromUs, toUs)
  const factor = (check.serverTokens - usageTokens) / (check.ourTokens - usageTokens)
  if (!(factor > 0) || !Number.isFinite(factor))
    return established === undefined ? { ...own, source: 'events', check: undefined } : { ...own, check }
  const tokensPerEvent = (established ?? 1) * factor
  return {
    source: 'server_counter',
    weights: weights.map((weight, index) => (byUsage[index] === 1 ? weight : weight * factor)),
    requestWeights: eventWeights(requests, tokensPerEvent),
    tokensPerEvent,
    check: undefined,
  }
}
