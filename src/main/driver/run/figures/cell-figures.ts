import type { CellFigures, SecondRecord } from '../../../../shared/model/cell.ts'
import { batchMeans, type Drift, driftTest, timeWeightedMean } from '../../../../shared/stats/index.ts'
import type { Scrape } from '../metrics-feed.ts'
import type { Measured } from './measured.ts'
import { eventGapsMs, requestFigures } from './request-figures.ts'
import { cacheFigures, energyFigures, meanRunning, scrapesInside, serverCheck, speculativeFigures } from './server-figures.ts'
import { countWindow, eventWeights, totalRate, type WindowTokens } from './window-tokens.ts'

export interface CellOutcome {
  figures: CellFigures
  series: SecondRecord[]
  ttftSamples: number
  itlSamples: number
  stalled: boolean
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

/** Every figure of measurement.md 4, from the driver's own timestamps; a figure that was not measured is absent. */
export function cellFigures(measured: Measured): CellOutcome {
  const { log, edges, requests } = measured
  const columns = log.columns()
  const weights = eventWeights(requests)
  const openUs = log.toUs(edges.openMs)
  const closeUs = log.toUs(edges.closeMs)
  const windowSeconds = (closeUs - openUs) / 1e6
  const window = countWindow(columns, weights, openUs, closeUs)
  const total = totalRate(window, {
    openUs,
    closeUs,
    nominalEndUs: log.toUs(edges.nominalEndMs),
    medianGapUs: edges.medianGapMs * 1000,
  })
  const inside = scrapesInside(measured.scrapes, edges.openMs, edges.closeMs)
  const perRequest = requestFigures(requests, weights, eventGapsMs(columns, requests.length, openUs, closeUs))
  const fullSeconds = Array.from({ length: Math.floor(windowSeconds) }, (_, second) => window.secondTokens[second] ?? 0)
  const confidence = batchMeans(fullSeconds)
  const usage = requests.some(({ result }) => result.tokenSource === 'events' && result.firstEventMs !== undefined)
    ? 'events'
    : 'usage'

  const figures: CellFigures = {
    ...perRequest.figures,
    totalTokensPerSecond: total?.tokensPerSecond,
    measuredSeconds: total?.measuredSeconds,
    windowSeconds,
    outputTokens: Math.round(window.tokens),
    activeRequestsMean: meanRunning(inside),
    decodingStreamsMean: timeWeightedMean(decodingIntervals(measured), edges.openMs, edges.closeMs),
    confidence95Percent: confidence?.percent,
    confidenceSource: confidence === undefined ? undefined : 'window',
    tokenSource: usage,
    speculative: speculativeFigures(inside),
    cache: cacheFigures(measured, inside),
    serverCheck: usage === 'usage' ? serverCheck(measured, weights, inside) : undefined,
    energy: energyFigures(measured, total?.tokensPerSecond),
    path: { ...measured.probe, events: window.events },
  }
  return {
    figures,
    series: seriesOf(window, inside, edges.openMs, windowSeconds),
    ttftSamples: perRequest.ttftSamples,
    itlSamples: perRequest.itlSamples,
    stalled: total?.stalled ?? true,
    drift: driftTest(fullSeconds),
    inside,
  }
}
