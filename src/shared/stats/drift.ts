import { studentTCdf } from './student-t.ts'

export interface Drift {
  /** Change of the fitted line from the first to the last value, in percent of the mean. */
  changePercent: number
  /** Two-sided probability of such a slope without any drift. */
  probability: number
  drifting: boolean
}

const MIN_BUCKETS = 6
const SIGNIFICANCE = 0.01
const MIN_CHANGE_PERCENT = 3

/** Whether a series of one-second rates rises or falls: a significant slope (1 %) that moves the rate by at least 3 %. Needs six values. */
export function driftTest(values: ArrayLike<number>): Drift | undefined {
  const n = values.length
  if (n < MIN_BUCKETS) return undefined
  const middle = (n - 1) / 2
  let sum = 0
  let sxy = 0
  let sxx = 0
  for (let i = 0; i < n; i += 1) {
    sum += values[i] ?? 0
    sxy += (i - middle) * (values[i] ?? 0)
    sxx += (i - middle) ** 2
  }
  const average = sum / n
  if (average <= 0) return undefined
  const slope = sxy / sxx
  let residuals = 0
  for (let i = 0; i < n; i += 1) residuals += ((values[i] ?? 0) - average - slope * (i - middle)) ** 2
  const changePercent = (100 * slope * (n - 1)) / average
  const error = Math.sqrt(residuals / (n - 2) / sxx)
  const probability = error === 0 ? (slope === 0 ? 1 : 0) : 2 * (1 - studentTCdf(Math.abs(slope / error), n - 2))
  return { changePercent, probability, drifting: probability < SIGNIFICANCE && Math.abs(changePercent) >= MIN_CHANGE_PERCENT }
}
