import type { CellFigures, SecondRecord } from '../../../../shared/model/cell.ts'
import { batchMeans, type Drift, driftTest, median, timeWeightedMean } from '../../../../shared/stats/index.ts'
import type { Scrape } from '../metrics-feed.ts'
import { edgeDoubtPercent as edgeDoubtOf } from './edge-doubt.ts'
import type { Measured } from './measured.ts'
import { eventGapsMs, requestFigures } from './request-figures.ts'
import { cacheFigures, energyFigures, meanRunning, scrapesInside, speculativeFigures } from './server-figures.ts'
import { longestSilence, type Silence } from './silence.ts'
import { countTokens, type TokenCount } from './token-count.ts'
import { countWindow, madeSinceUs, type WindowTokens } from './window-tokens.ts'

export interface CellOutcome {
  figures: CellFigures
  series: SecondRecord[]
  ttftSamples: number
  itlSamples: number
  /** The server stood still inside the window. */
  silence: Silence | undefined
  /** How far the count of tokens can be relied on, where the server didn't give it with every event. */
  countDoubt: string | undefined
  drift: Drift | undefined
  inside: Scrape[]
}

function seriesOf(window: WindowTokens, inside: Scrape[], openMs: number, windowSeconds: number): SecondRecord[] {
  return Array.from({ length: Math.ceil(windowSeconds) }, (_, second) => {
    const scrape = inside.findLast((entry) => Math.floor((entry.endMs - openMs) / 1000) === second)
    const { running, waiting, kvUsage } = scrape?.sample ?? {}
    return {
      second,
      tokens: Math.round(window.secondTokens[second] ?? 0),
      events: window.secondEvents[second] ?? 0,
      ...(running === undefined ? {} : { running }),
      ...(waiting === undefined ? {} : { waiting }),
      ...(kvUsage === undefined ? {} : { kvUsage }),
    }
  })
}

function decodingIntervals(measured: Measured): [number, number][] {
  return measured.requests.flatMap(({ result }) =>
    result.firstEventMs === undefined
      ? []
      : [[result.firstEventMs, result.lastEventMs ?? result.firstEventMs] as [number, number]],
  )
}

/** What is uncertain about the count; undefined where it is the server's own, or was checked against it. */
function countDoubt({ oneTokenAnEvent }: Measured, { source, tokensPerEvent = 1, check }: TokenCount): string | undefined {
  if (source === 'events')
    return 'the server tells neither usage nor a counter: these are events, and how many tokens each of them holds is not known'
  if (source === 'final_usage' && !check)
    return 'tokens of requests that were cut are estimated from those that told their count at their end'
  if (source !== 'server_counter' || oneTokenAnEvent) return undefined
  return `the server tells no count with its events: events × the server's counter, ${tokensPerEvent.toFixed(2)} tokens an event`
}

/** Every figure of docs/measurement.md 4, from the driver's own timestamps; a figure that was not measured is absent. */
export function cellFigures(measured: Measured): CellOutcome {
  const { log, edges, requests } = measured
  const columns = log.columns()
  const inside = scrapesInside(measured.scrapes, edges.openMs, edges.closeMs)
  const count = countTokens(measured, inside)
  const { weights, requestWeights } = count
  // Events whose unit nobody knows are no tokens: what would be a figure of tokens stays unsaid.
  const isKnown = count.source !== 'events'
  const openUs = log.toUs(edges.openMs)
  const closeUs = log.toUs(edges.closeMs)
  const windowSeconds = (closeUs - openUs) / 1e6
  const medianGapUs = edges.medianGapMs * 1000
  const sincesUs = madeSinceUs(columns, requests.length)
  const window = countWindow(columns, weights, sincesUs, openUs, closeUs)
  const rate = window.tokens > 0 && windowSeconds > 0 ? window.tokens / windowSeconds : undefined
  const total = isKnown ? rate : undefined
  const perRequest = requestFigures(requests, requestWeights, eventGapsMs(columns, requests.length, openUs, closeUs))
  const fullSeconds = Array.from({ length: Math.floor(windowSeconds) }, (_, second) => window.secondTokens[second] ?? 0)
  const confidence = isKnown ? batchMeans(fullSeconds) : undefined

  const edgeDoubtPercent = edgeDoubtOf({
    columns,
    weights,
    sincesUs,
    edgesUs: [openUs, closeUs],
    medianGapUs,
    tokens: window.tokens,
  })
  // Usage is the server's own word; a request that is cut before it has told any has the length of its scout, or what was counted.
  const promptTokens = requests.map(
    ({ result, countedTokens }) => result.promptTokens ?? measured.scoutPromptTokens ?? countedTokens,
  )
  const figures: CellFigures = {
    promptTokens: median(promptTokens.filter((tokens) => tokens !== undefined)),
    ...perRequest.figures,
    totalTokensPerSecond: total,
    ...(isKnown ? {} : { eventsPerSecond: rate, timeBetweenTokensMs: undefined, perRequestTokensPerSecond: undefined }),
    measuredSeconds: rate === undefined ? undefined : windowSeconds,
    windowSeconds,
    outputTokens: isKnown ? Math.round(window.tokens) : undefined,
    activeRequestsMean: meanRunning(inside),
    decodingStreamsMean: timeWeightedMean(decodingIntervals(measured), edges.openMs, edges.closeMs),
    confidence95Percent: confidence?.percent,
    confidenceSource: confidence === undefined ? undefined : 'window',
    tokenSource: count.source,
    tokensPerEvent: count.tokensPerEvent,
    speculative: speculativeFigures(inside),
    cache: cacheFigures(measured, inside),
    serverCheck: count.check,
    energy: energyFigures(measured, total),
    path: { ...measured.probe, events: window.events, edgeDoubtPercent },
  }
  return {
    figures,
    countDoubt: countDoubt(measured, count),
    series: seriesOf(window, inside, edges.openMs, windowSeconds),
    ttftSamples: perRequest.ttftSamples,
    itlSamples: perRequest.itlSamples,
    silence: longestSilence({
      columns,
      requests,
      openUs,
      closeUs,
      medianGapUs,
      originMs: log.originMs,
    }),
    drift: driftTest(fullSeconds),
    inside,
  }
}
