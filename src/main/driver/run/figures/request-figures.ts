import type { CellFigures } from '../../../../shared/model/cell.ts'
import { median, spreadOf } from '../../../../shared/stats/index.ts'
import type { EventColumns } from '../event-log.ts'
import type { TrackedRequest } from '../streams.ts'

interface RequestFigures {
  figures: Partial<CellFigures>
  /** Requests behind the medians. */
  ttftSamples: number
  itlSamples: number
}

/**
 * (last − first output event) ÷ (tokens − tokens in the first event), ms. Right for several tokens an event (docs/vllm.md 4.1). `weight` as
 * eventWeights gives it.
 */
export function timeBetweenTokensMs(request: TrackedRequest, weight = 1): number | undefined {
  const { firstEventMs, lastEventMs, firstEventTokens = 1 } = request.result
  if (firstEventMs === undefined || lastEventMs === undefined || lastEventMs <= firstEventMs) return undefined
  const tokens =
    weight === 1 ? request.result.outputTokens - firstEventTokens : weight * (request.loggedTokens - firstEventTokens)
  return tokens > 0 ? (lastEventMs - firstEventMs) / tokens : undefined
}

const defined = (values: (number | undefined)[]) => values.filter((value): value is number => value !== undefined)

/** Gaps between neighbouring events of one request inside the window, ms. */
export function eventGapsMs(columns: EventColumns, requestCount: number, openUs: number, closeUs: number): Float64Array {
  const previous = new Float64Array(requestCount).fill(-1)
  const gaps = new Float64Array(columns.timesUs.length)
  let count = 0
  for (let i = 0; i < columns.timesUs.length; i += 1) {
    const request = columns.requests[i] ?? 0
    const time = columns.timesUs[i] ?? 0
    const before = previous[request] ?? -1
    if (before >= 0 && time > openUs && time <= closeUs) {
      gaps[count] = (time - before) / 1000
      count += 1
    }
    previous[request] = time
  }
  return gaps.subarray(0, count)
}

/** Medians and percentiles over the attempt's requests, those of the fill included, as published. */
export function requestFigures(
  requests: TrackedRequest[],
  weights: ArrayLike<number>,
  gapsMs: ArrayLike<number>,
): RequestFigures {
  const started = requests.filter((request) => request.result.firstEventMs !== undefined)
  const ttft = (request: TrackedRequest) => (request.result.firstEventMs ?? 0) - request.result.startMs
  const ttfts = started.map(ttft)
  const fromLastByte = defined(
    started.map(({ result }) =>
      result.lastByteSentMs === undefined ? undefined : (result.firstEventMs ?? 0) - result.lastByteSentMs,
    ),
  )
  // A looping text is no sample of the model's speed.
  const itls = defined(
    requests.map((request, index) => (request.looped ? undefined : timeBetweenTokensMs(request, weights[index]))),
  )
  const figures: Partial<CellFigures> = {
    ttftMs: median(ttfts),
    ttftInitialMs: median(started.filter((request) => request.ordinal === 1).map(ttft)),
    ttftRestartMs: median(started.filter((request) => request.ordinal > 1).map(ttft)),
    ttftFromLastByteMs: median(fromLastByte),
    timeBetweenTokensMs: median(itls),
    // The median of the reciprocals, as published; not the reciprocal of the median.
    perRequestTokensPerSecond: median(itls.map((itl) => 1000 / itl)),
    completedRequests: requests.filter((request) => request.result.completed).length,
    requestSamples: started.length,
    percentiles: { ttftMs: spreadOf(ttfts), timeBetweenTokensMs: spreadOf(itls), eventGapMs: spreadOf(gapsMs) },
  }
  return { figures, ttftSamples: ttfts.length, itlSamples: itls.length }
}
