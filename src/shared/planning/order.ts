import type { CELL_ORDERS } from '../model/plan.ts'

type CellOrder = (typeof CELL_ORDERS)[number]

interface GridCell {
  contextTokens: number
  concurrency: number
}

/** Published order: the first concurrency's column over all contexts, the first context's row, then row by row (docs/published-method.md 3). */
function publishedOrder(contexts: number[], concurrency: number[]): GridCell[] {
  const [firstLevel, ...levels] = concurrency
  if (firstLevel === undefined) return []
  const column = contexts.map((contextTokens) => ({ contextTokens, concurrency: firstLevel }))
  const rows = contexts.flatMap((contextTokens) => levels.map((level) => ({ contextTokens, concurrency: level })))
  return [...column, ...rows]
}

function ascendingOrder(cells: GridCell[], maxOutputTokens: number): GridCell[] {
  const cost = (cell: GridCell) => cell.concurrency * (cell.contextTokens + maxOutputTokens)
  return [...cells].sort((a, b) => cost(a) - cost(b) || a.concurrency - b.concurrency)
}

/** The grid's cells in measuring order, one of each. */
export function orderCells(order: CellOrder, contexts: number[], concurrency: number[], maxOutputTokens: number): GridCell[] {
  const published = publishedOrder(contexts, concurrency)
  return order === 'ascending' ? ascendingOrder(published, maxOutputTokens) : published
}

/** Level of refinement of index i among n: both ends 0, the middle 1, quarters 2 … */
function refinement(index: number, count: number): number {
  let low = 0
  let high = count - 1
  let level = 0
  while (index !== low && index !== high) {
    const middle = Math.floor((low + high) / 2)
    level += 1
    if (index === middle) return level
    if (index < middle) high = middle
    else low = middle
  }
  return level
}

/** Coarse grid first, then finer: where a time budget may cut the run short, the corners are what it must have. */
export function coarseFirst(cells: GridCell[], contexts: number[], concurrency: number[]): GridCell[] {
  const level = (cell: GridCell) =>
    Math.max(
      refinement(contexts.indexOf(cell.contextTokens), contexts.length),
      refinement(concurrency.indexOf(cell.concurrency), concurrency.length),
    )
  return cells
    .map((cell, index) => ({ cell, index, level: level(cell) }))
    .sort((a, b) => a.level - b.level || a.index - b.index)
    .map((entry) => entry.cell)
}
