/** Quantile by linear interpolation on (n − 1) p, as the published tool takes it. Undefined for an empty list. Input may be unsorted. */
export function quantile(values: ArrayLike<number>, p: number): number | undefined {
  return quantileOfSorted(Float64Array.from(values).sort(), p)
}

/** The same for values sorted ascending. */
function quantileOfSorted(sorted: ArrayLike<number>, p: number): number | undefined {
  const last = sorted.length - 1
  if (last < 0) return undefined
  const position = Math.min(1, Math.max(0, p)) * last
  const below = Math.floor(position)
  const low = sorted[below] ?? 0
  const high = sorted[Math.min(last, below + 1)] ?? low
  return low === high ? low : low + (high - low) * (position - below)
}

export function median(values: ArrayLike<number>): number | undefined {
  return quantile(values, 0.5)
}

export function mean(values: ArrayLike<number>): number | undefined {
  if (values.length === 0) return undefined
  let sum = 0
  for (let i = 0; i < values.length; i += 1) sum += values[i] ?? 0
  return sum / values.length
}

/** p50, p90 and p99; undefined for an empty list. */
export function spreadOf(values: ArrayLike<number>): { p50: number; p90: number; p99: number } | undefined {
  const sorted = Float64Array.from(values).sort()
  const p50 = quantileOfSorted(sorted, 0.5)
  const p90 = quantileOfSorted(sorted, 0.9)
  const p99 = quantileOfSorted(sorted, 0.99)
  return p50 === undefined || p90 === undefined || p99 === undefined ? undefined : { p50, p90, p99 }
}
