import type { RunOrder } from '../../../../shared/contract/runs.ts'

/** A column is also an order of the engine's. */
export type ColumnId = RunOrder

/** Titles and widths as grid tracks; the name takes what is left. */
export const COLUMNS: Record<ColumnId, { title: string; width: string; isFixed?: boolean; isDescendingFirst?: boolean }> = {
  name: { title: 'Run', width: 'minmax(220px, 3fr)', isFixed: true },
  state: { title: 'State', width: '142px' },
  model: { title: 'Model', width: 'minmax(140px, 2fr)' },
  host: { title: 'Host', width: 'minmax(90px, 1fr)' },
  cells: { title: 'Cells', width: '104px', isDescendingFirst: true },
  tags: { title: 'Tags', width: 'minmax(110px, 1.4fr)' },
  started: { title: 'Started', width: '122px', isDescendingFirst: true },
  took: { title: 'Took', width: '96px', isDescendingFirst: true },
  note: { title: 'Note', width: 'minmax(120px, 1.6fr)' },
}

/** At first; a wide window has room for all of them. */
export const shownAtFirst = (windowWidth: number): Partial<Record<ColumnId, boolean>> => ({ note: windowWidth >= 1600 })
