import type { RequestRecord } from '../../../shared/model/cell.ts'

/** A request on the time line: waiting for the first token, then output. In ms since the attempt's start. */
interface RequestBar {
  stream: number
  ordinal: number
  startMs: number
  firstMs: number | undefined
  endMs: number
  completed: boolean
  failed: boolean
}

interface TimelineModel {
  streams: number[]
  bars: RequestBar[]
  fromMs: number
  toMs: number
}

/** One lane a stream, in order of their numbers. */
export function timelineOf(requests: readonly RequestRecord[]): TimelineModel {
  const bars = requests.map(
    (request): RequestBar => ({
      stream: request.stream,
      ordinal: request.ordinal,
      startMs: request.startMs,
      firstMs: request.firstEventMs,
      endMs: request.endMs ?? request.lastEventMs ?? request.firstEventMs ?? request.startMs,
      completed: request.completed,
      failed: request.error !== undefined,
    }),
  )
  return {
    streams: [...new Set(bars.map((bar) => bar.stream))].sort((a, b) => a - b),
    bars,
    fromMs: bars.reduce((low, bar) => Math.min(low, bar.startMs), Number.POSITIVE_INFINITY),
    toMs: bars.reduce((high, bar) => Math.max(high, bar.endMs), 0),
  }
}

/** TTFT of one request in ms. */
export const ttftOf = (request: RequestRecord): number | undefined =>
  request.firstEventMs === undefined ? undefined : request.firstEventMs - request.startMs

/** Time between tokens of one request in ms, as docs/measurement.md 4 has it. */
export function timeBetweenTokensOf(request: RequestRecord): number | undefined {
  const { firstEventMs, lastEventMs, outputTokens, firstEventTokens = 1 } = request
  const later = outputTokens - firstEventTokens
  if (firstEventMs === undefined || lastEventMs === undefined || later <= 0) return undefined
  return (lastEventMs - firstEventMs) / later
}
