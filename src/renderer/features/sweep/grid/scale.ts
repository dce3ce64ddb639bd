/** Where values lie between the smallest and the largest of a grid. */
export interface Scale {
  kind: 'log' | 'linear'
  low: number
  high: number
  /** 0 (low) … 1 (high). */
  position: (value: number) => number
  /** The value at a position, for the legend's ticks. */
  value: (position: number) => number
}

/** From this ratio on a linear scale would show one column and nothing else. */
const LOG_FROM_RATIO = 8

/** undefined where there is nothing to compare yet. */
export function createScale(values: readonly number[]): Scale | undefined {
  const known = values.filter((value) => Number.isFinite(value) && value > 0)
  if (known.length === 0) return undefined
  const low = Math.min(...known)
  const high = Math.max(...known)
  const kind = high / low >= LOG_FROM_RATIO ? 'log' : 'linear'
  const go = kind === 'log' ? Math.log : (value: number) => value
  const back = kind === 'log' ? Math.exp : (value: number) => value
  const [from, to] = [go(low), go(high)]
  return {
    kind,
    low,
    high,
    // One value alone stands in the middle: it is neither the best nor the worst.
    position: (value) => (to > from ? Math.min(1, Math.max(0, (go(Math.max(value, low)) - from) / (to - from))) : 0.5),
    value: (position) => back(from + position * (to - from)),
  }
}
