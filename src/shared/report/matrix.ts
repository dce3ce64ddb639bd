import type { CellRow, PrefillRow, RunDocument } from '../model/run.ts'
import { NOT_MEASURED, contextLabel, msText, rateText, totalText } from '../format/index.ts'
import { doubtText } from './flags.ts'
import { STATUS_LABELS } from './statuses.ts'
import type { Matrix, MatrixCell, PrefillEntry } from './types.ts'

const ascending = (values: Iterable<number>) => [...new Set(values)].sort((a, b) => a - b)

export function buildMatrix(run: RunDocument): Matrix {
  const contexts = ascending(run.cells.map((cell) => cell.contextTokens))
  const levels = ascending(run.cells.map((cell) => cell.concurrency))
  const byKey = new Map(run.cells.map((cell) => [`${String(cell.contextTokens)}:${String(cell.concurrency)}`, cell]))
  const heat = heatScale(run.cells)
  const rows = contexts.map((contextTokens) =>
    levels.map((concurrency) =>
      matrixCell(contextTokens, concurrency, byKey.get(`${String(contextTokens)}:${String(concurrency)}`), heat),
    ),
  )
  return { contexts, levels, rows }
}

function matrixCell(
  contextTokens: number,
  concurrency: number,
  cell: CellRow | undefined,
  heat: (rate: number) => number,
): MatrixCell {
  if (cell === undefined) return { contextTokens, concurrency, label: NOT_MEASURED, doubts: [] }
  const shared = {
    contextTokens,
    concurrency,
    status: cell.status,
    doubts: cell.flags.map(doubtText),
    ...(cell.reason === undefined ? {} : { reason: cell.reason }),
  }
  if (cell.status !== 'valid') return { ...shared, label: STATUS_LABELS[cell.status] }
  const rate = totalText(cell)
  const ttft = `${msText(cell.ttftMs)} TTFT`
  return {
    ...shared,
    label: `${rate}, ${ttft}`,
    rate,
    ttft,
    ...(cell.totalTokensPerSecond === undefined
      ? {}
      : { tokensPerSecond: cell.totalTokensPerSecond, heat: heat(cell.totalTokensPerSecond) }),
    ...(cell.ttftMs === undefined ? {} : { ttftMs: cell.ttftMs }),
  }
}

/** Rates of a matrix span two orders of magnitude: a linear scale would show one column and nothing else. */
function heatScale(cells: readonly CellRow[]): (rate: number) => number {
  const logs = cells
    .filter((cell) => cell.status === 'valid' && (cell.totalTokensPerSecond ?? 0) > 0)
    .map((cell) => Math.log(cell.totalTokensPerSecond ?? 1))
  const low = Math.min(...logs)
  const high = Math.max(...logs)
  return (rate) => (rate <= 0 ? 0 : high > low ? Math.min(1, Math.max(0, (Math.log(rate) - low) / (high - low))) : 0.5)
}

export function buildPrefill(run: RunDocument): PrefillEntry[] {
  return sortedPrefill(run).map((row) => ({
    contextTokens: row.contextTokens,
    context: contextLabel(row.contextTokens),
    status: row.status,
    rate: row.status === 'valid' ? rateText(row.tokensPerSecond) : STATUS_LABELS[row.status],
    ttft: row.status === 'valid' ? `${msText(row.ttftMs)} TTFT` : '',
    doubts: row.flags.map(doubtText),
    ...(row.status === 'valid' && row.tokensPerSecond !== undefined ? { tokensPerSecond: row.tokensPerSecond } : {}),
    ...(row.status === 'valid' && row.ttftMs !== undefined ? { ttftMs: row.ttftMs } : {}),
  }))
}

export function sortedPrefill(run: RunDocument): PrefillRow[] {
  return [...run.prefill].sort((a, b) => a.contextTokens - b.contextTokens)
}

/** Row by row, as the matrix is read. */
export function sortedCells(run: RunDocument): CellRow[] {
  return [...run.cells].sort((a, b) => a.contextTokens - b.contextTokens || a.concurrency - b.concurrency)
}
