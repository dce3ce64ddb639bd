import { mean } from './quantile.ts'
import { studentTQuantile } from './student-t.ts'

interface MeanWithHalfWidth {
  mean: number
  /** Half-width of the 95 % interval of the mean, in the values' unit. */
  halfWidth: number
  /** The same in percent of the mean. */
  percent: number
  count: number
}

/** Mean and 95 % half-width by Student's t. Undefined for fewer than two values or a mean that isn't positive. */
function meanWithHalfWidth(values: ArrayLike<number>): MeanWithHalfWidth | undefined {
  const count = values.length
  const average = mean(values)
  if (count < 2 || average === undefined || average <= 0) return undefined
  let squares = 0
  for (let i = 0; i < count; i += 1) squares += ((values[i] ?? 0) - average) ** 2
  const halfWidth = studentTQuantile(0.975, count - 1) * Math.sqrt(squares / (count - 1) / count)
  return { mean: average, halfWidth, percent: (100 * halfWidth) / average, count }
}

/** With two buckets t is 12.7: the interval would say something about them, nothing about the rate. */
const FEWEST_BUCKETS = 3

/** Batch means over a window's full one-second buckets (docs/measurement.md 4, confidence). Undefined below three of them. */
export function batchMeans(tokensPerSecond: ArrayLike<number>): MeanWithHalfWidth | undefined {
  return tokensPerSecond.length < FEWEST_BUCKETS ? undefined : meanWithHalfWidth(tokensPerSecond)
}

/** Between runs the spread of repeated attempts decides: mean of the repeats and its 95 % half-width. */
export function spreadOfRepeats(rates: ArrayLike<number>): MeanWithHalfWidth | undefined {
  return meanWithHalfWidth(rates)
}

/** What is assumed where there are no repeats: 3 %, 10 % with speculative decoding (docs/measurement.md 4). */
export function assumedFloorPercent(speculative: boolean): number {
  return speculative ? 10 : 3
}
