import type { CellFigures } from '../../../../shared/model/cell.ts'
import { QUICK_SCRAPE_MS, type Scrape } from '../metrics-feed.ts'
import type { Measured } from './measured.ts'
import { growth } from './server-figures.ts'
import { countArrived } from './window-tokens.ts'

interface Comparison {
  check: NonNullable<CellFigures['serverCheck']>
  /** Where the two scrapes lie in the log. */
  fromUs: number
  toUs: number
}

/** Scrapes this close to the first and the last quick one may take their place. */
const CHOICE_MS = 1500
/** The server counts a step before it sends it. */
const SEND_MS = 2

/** After a stall of ours, what the server had sent long ago is read in one go; a scrape answered in between has counted all of it. */
const BACKLOG_MS = 50
const BACKLOG_FACTOR = 3

/** Tokens of ours that the scrape may or may not have counted: those that arrived while it was under way, or in a burst right behind it. */
function doubtfulTokens(measured: Measured, weights: ArrayLike<number>, scrape: Scrape, tokensPerMs: number): number {
  const { log } = measured
  const columns = log.columns()
  const endUs = log.toUs(scrape.endMs)
  const meanwhile = countArrived(columns, weights, log.toUs(scrape.endMs - scrape.latencyMs), endUs + SEND_MS * 1000)
  const behind = countArrived(columns, weights, endUs, endUs + BACKLOG_MS * 1000)
  return behind > BACKLOG_FACTOR * tokensPerMs * BACKLOG_MS ? meanwhile + behind : meanwhile
}

function clearest(measured: Measured, weights: ArrayLike<number>, scrapes: Scrape[]): Scrape | undefined {
  const { log, edges } = measured
  const all = countArrived(log.columns(), weights, log.toUs(edges.openMs), log.toUs(edges.closeMs))
  const tokensPerMs = all / Math.max(1, edges.closeMs - edges.openMs)
  let best: { scrape: Scrape; doubt: number } | undefined
  for (const scrape of scrapes) {
    const doubt = doubtfulTokens(measured, weights, scrape, tokensPerMs)
    if (best === undefined || doubt < best.doubt) best = { scrape, doubt }
  }
  return best?.scrape
}

/**
 * Growth of the server's generation counter against our tokens between the same two quick scrapes, compared at the moment the answers
 * ended (docs/measurement.md 4): the first and the last inside the window, or one beside them that fell into a quieter moment between two steps.
 */
export function compareCounts(measured: Measured, weights: ArrayLike<number>, inside: Scrape[]): Comparison | undefined {
  const quick = inside.filter((scrape) => scrape.latencyMs < QUICK_SCRAPE_MS && scrape.sample.generationTokens !== undefined)
  const [earliest, latest] = [quick[0], quick.at(-1)]
  if (!earliest || !latest || earliest === latest) return undefined
  const middleMs = (earliest.endMs + latest.endMs) / 2
  const early = quick.filter(({ endMs }) => endMs <= Math.min(middleMs, earliest.endMs + CHOICE_MS))
  const late = quick.filter(({ endMs }) => endMs > Math.max(middleMs, latest.endMs - CHOICE_MS)).toReversed()
  const first = clearest(measured, weights, early)
  const last = clearest(measured, weights, late)
  if (!first || !last) return undefined
  const { log } = measured
  const [fromUs, toUs] = [log.toUs(first.endMs), log.toUs(last.endMs)]
  const ours = countArrived(log.columns(), weights, fromUs, toUs)
  const server = growth(first, last, 'generationTokens')
  if (server === undefined || ours <= 0) return undefined
  return {
    check: {
      serverTokens: server,
      ourTokens: ours,
      differencePercent: (100 * (server - ours)) / ours,
      seconds: (last.endMs - first.endMs) / 1000,
    },
    fromUs,
    toUs,
  }
}
