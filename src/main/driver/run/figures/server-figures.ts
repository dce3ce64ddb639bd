import type { CellFigures } from '../../../../shared/model/cell.ts'
import type { MetricsSample } from '../../../../shared/model/telemetry.ts'
import { mean, median } from '../../../../shared/stats/index.ts'
import type { Scrape } from '../metrics-feed.ts'
import type { TrackedRequest } from '../streams.ts'
import type { Measured } from './measured.ts'

/** Scrapes whose answer ended inside the window. */
export function scrapesInside(scrapes: Scrape[], openMs: number, closeMs: number): Scrape[] {
  return scrapes.filter((scrape) => scrape.endMs > openMs && scrape.endMs <= closeMs)
}

export function growth(first: Scrape, last: Scrape, name: keyof MetricsSample): number | undefined {
  const [from, to] = [first.sample[name], last.sample[name]]
  return from === undefined || to === undefined ? undefined : to - from
}

/** From counter differences; steps as docs/published-method.md 6 counts them. */
export function speculativeFigures(inside: Scrape[]): CellFigures['speculative'] {
  const [first, last] = [inside[0], inside.at(-1)]
  if (!first || !last || first === last) return undefined
  const drafts = growth(first, last, 'specDrafts')
  const draftTokens = growth(first, last, 'specDraftTokens')
  const acceptedTokens = growth(first, last, 'specAcceptedTokens')
  if (!drafts || drafts < 0 || draftTokens === undefined || acceptedTokens === undefined) return undefined
  const output = growth(first, last, 'generationTokens') ?? acceptedTokens + drafts
  const steps = drafts + Math.max(0, output - (acceptedTokens + drafts))
  const seconds = (last.endMs - first.endMs) / 1000
  return { drafts, draftTokens, acceptedTokens, acceptanceLength: 1 + acceptedTokens / drafts, stepsPerSecond: steps / seconds }
}

/** Share of prompt tokens that came from the cache: of the requests that got their first output in the window, else of all. */
function cachedShareByUsage(requests: TrackedRequest[], openMs: number, closeMs: number): number | undefined {
  const known = requests.filter(({ result }) => result.cachedTokens !== undefined && (result.promptTokens ?? 0) > 0)
  const inside = known.filter(({ result }) => (result.firstEventMs ?? 0) > openMs && (result.firstEventMs ?? 0) <= closeMs)
  const chosen = inside.length > 0 ? inside : known
  if (chosen.length === 0) return undefined
  const sum = (pick: (request: TrackedRequest) => number) => chosen.reduce((total, request) => total + pick(request), 0)
  return sum(({ result }) => result.cachedTokens ?? 0) / sum(({ result }) => result.promptTokens ?? 0)
}

export function cacheFigures(measured: Measured, inside: Scrape[]): CellFigures['cache'] {
  const { requests, edges, scrapes } = measured
  const [first, last] = [inside[0], inside.at(-1)]
  const preemptions = first && last && first !== last ? growth(first, last, 'preemptions') : undefined
  let cachedShare = cachedShareByUsage(requests, edges.openMs, edges.closeMs)
  // Counters have seen the scouts too: only what came after the last scrape before the streams is theirs.
  const startMs = Math.min(...requests.map(({ result }) => result.startMs))
  const begin = scrapes.findLast((scrape) => scrape.endMs <= startMs)
  const end = scrapes.at(-1)
  if (cachedShare === undefined && begin && end && begin !== end) {
    const queries = growth(begin, end, 'prefixCacheQueries')
    const hits = growth(begin, end, 'prefixCacheHits')
    if (queries !== undefined && hits !== undefined && queries > 0) cachedShare = hits / queries
  }
  if (cachedShare === undefined && preemptions === undefined) return undefined
  return { ...(cachedShare === undefined ? {} : { cachedShare }), ...(preemptions === undefined ? {} : { preemptions }) }
}

export function meanRunning(inside: Scrape[]): number | undefined {
  return mean(inside.flatMap(({ sample }) => (sample.running === undefined ? [] : [sample.running])))
}

/** Mean W of the server's own GPUs together, J per token, clocks and throttling from the samples inside the window. */
export function energyFigures(measured: Measured, tokensPerSecond: number | undefined): CellFigures['energy'] {
  const watts: number[] = []
  const clocks: number[] = []
  const temperatures: number[] = []
  const reasons = new Set<string>()
  let gpuCount = 0
  for (const { gpus } of measured.gpus) {
    const powers = gpus.flatMap((gpu) => (gpu.powerWatts === undefined ? [] : [gpu.powerWatts]))
    // A device that reports no power makes the sum meaningless.
    if (powers.length === gpus.length) watts.push(powers.reduce((sum, power) => sum + power, 0))
    gpuCount = Math.max(gpuCount, gpus.length)
    for (const gpu of gpus) {
      if (gpu.smClockMhz !== undefined) clocks.push(gpu.smClockMhz)
      if (gpu.temperatureC !== undefined) temperatures.push(gpu.temperatureC)
      for (const reason of gpu.throttleReasons ?? []) reasons.add(reason)
    }
  }
  const meanWatts = mean(watts)
  if (meanWatts === undefined) return undefined
  const smClockMhz = median(clocks)
  const temperatureC = temperatures.length === 0 ? undefined : Math.max(...temperatures)
  return {
    meanWatts,
    ...(tokensPerSecond === undefined ? {} : { joulesPerOutputToken: meanWatts / tokensPerSecond }),
    gpuCount,
    ...(smClockMhz === undefined ? {} : { smClockMhz }),
    ...(temperatureC === undefined ? {} : { temperatureC }),
    throttleReasons: [...reasons].sort(),
    samples: watts.length,
  }
}
