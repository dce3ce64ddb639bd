import type { CellRow } from '../../shared/model/run.ts'

export const ascending = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b)
export const contextsOf = (cells: readonly { contextTokens: number }[]): number[] =>
  ascending(cells.map((cell) => cell.contextTokens))
export const levelsOf = (cells: readonly { concurrency: number }[]): number[] => ascending(cells.map((cell) => cell.concurrency))

/** A valid cell with that figure: a looped or failed one is never drawn. */
export const isMeasured = (cell: CellRow, figure: number | undefined): boolean =>
  cell.status === 'valid' && figure !== undefined && Number.isFinite(figure)
