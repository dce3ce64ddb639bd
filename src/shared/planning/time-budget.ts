/**
 * Whether the next cell may still begin. A cell is begun only when it is expected to end inside the budget; the first one always is,
 * so that a budget too small for anything still gives one figure and says so.
 */
export function fitsTimeBudget(budget: {
  minutes: number | undefined
  elapsedSeconds: number
  cellSeconds: number
  measuredCells: number
}): boolean {
  if (budget.minutes === undefined || budget.measuredCells === 0) return true
  return budget.elapsedSeconds + budget.cellSeconds <= budget.minutes * 60
}
