import type { EventColumns } from '../event-log.ts'

/** Up to here an event's tokens were made evenly, or nearly so, and can be divided. */
const USUAL_GAPS = 2

/**
 * Tokens of which it isn't known on which side of an edge they were made: those after an unusually long gap that has the edge in its middle
 * (we, the way or the server stood still there). In percent of `tokens`.
 */
export function edgeDoubtPercent(options: {
  columns: EventColumns
  weights: ArrayLike<number>
  sincesUs: ArrayLike<number>
  edgesUs: readonly number[]
  medianGapUs: number
  tokens: number
}): number {
  const { columns, weights, sincesUs, edgesUs, medianGapUs, tokens } = options
  const { timesUs, requests } = columns
  let doubt = 0
  for (let i = 0; i < timesUs.length; i += 1) {
    const time = timesUs[i] ?? 0
    const since = sincesUs[i] ?? time
    const gap = time - since
    if (gap <= USUAL_GAPS * medianGapUs) continue
    for (const edge of edgesUs) {
      if (since >= edge || time <= edge) continue
      const amount = (columns.tokens[i] ?? 0) * (weights[requests[i] ?? 0] ?? 1)
      doubt += (amount * Math.min(edge - since, time - edge)) / gap
    }
  }
  return tokens > 0 ? (100 * doubt) / tokens : 0
}
