import type { CellRow } from '../model/run.ts'

const STATUS_WORDS: Record<CellRow['status'], string> = {
  valid: 'valid',
  looped: 'looped',
  over_capacity: 'over capacity',
  error: 'error',
  skipped: 'skipped',
  cancelled: 'cancelled',
  pending: 'not measured',
}

/** `9 of 12 cells valid, 2 over capacity, 1 error`. */
export function countsText(cells: readonly CellRow[]): string {
  const counts = new Map<CellRow['status'], number>()
  for (const cell of cells) counts.set(cell.status, (counts.get(cell.status) ?? 0) + 1)
  const others = [...counts].filter(([status]) => status !== 'valid').map(([status, count]) => `${count} ${STATUS_WORDS[status]}`)
  return [`${counts.get('valid') ?? 0} of ${cells.length} cells valid`, ...others].join(', ')
}
