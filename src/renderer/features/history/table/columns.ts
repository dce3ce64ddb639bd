import {
  columnVisibilityFeature,
  createColumnHelper,
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import { RUN_STATE_TEXTS, tookSeconds } from '../run-texts.ts'

export const features = tableFeatures({
  columnVisibilityFeature,
  rowSelectionFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
})
export type Features = typeof features

/** Titles and widths as grid tracks; the name takes what is left. */
export const COLUMNS = {
  name: { title: 'Run', width: 'minmax(220px, 3fr)', isFixed: true },
  state: { title: 'State', width: '142px', isFixed: false },
  model: { title: 'Model', width: 'minmax(140px, 2fr)', isFixed: false },
  host: { title: 'Host', width: 'minmax(90px, 1fr)', isFixed: false },
  cells: { title: 'Cells', width: '104px', isFixed: false },
  tags: { title: 'Tags', width: 'minmax(110px, 1.4fr)', isFixed: false },
  started: { title: 'Started', width: '122px', isFixed: false },
  took: { title: 'Took', width: '96px', isFixed: false },
  note: { title: 'Note', width: 'minmax(120px, 1.6fr)', isFixed: false },
} as const
export type ColumnId = keyof typeof COLUMNS

/** At first; a wide window has room for all of them. */
export const shownAtFirst = (windowWidth: number): Partial<Record<ColumnId, boolean>> => ({ note: windowWidth >= 1600 })

const helper = createColumnHelper<Features, RunRow>()
const byText = (a: string | undefined, b: string | undefined) => (a ?? '').localeCompare(b ?? '', undefined, { numeric: true })
const byNumber = (a: number | undefined, b: number | undefined) => (a ?? -1) - (b ?? -1)

/** Accessors are cheap and compare functions read the row itself: thousands of rows are sorted at each click. */
export const columns = helper.columns([
  helper.accessor('name', { id: 'name', sortFn: (a, b) => byText(a.original.name, b.original.name) }),
  helper.accessor('state', {
    id: 'state',
    sortFn: (a, b) => byText(RUN_STATE_TEXTS[a.original.state].word, RUN_STATE_TEXTS[b.original.state].word),
  }),
  helper.accessor('model', { id: 'model', sortFn: (a, b) => byText(a.original.model, b.original.model) }),
  helper.accessor('host', { id: 'host', sortFn: (a, b) => byText(a.original.host, b.original.host) }),
  helper.accessor('cellsTotal', {
    id: 'cells',
    sortFn: (a, b) =>
      byNumber(a.original.cellsTotal, b.original.cellsTotal) || byNumber(a.original.cellsDone, b.original.cellsDone),
  }),
  helper.accessor((run) => run.tags.join(' '), {
    id: 'tags',
    sortFn: (a, b) => byText(a.original.tags.join(' '), b.original.tags.join(' ')),
  }),
  helper.accessor((run) => run.startedAt ?? run.createdAt, {
    id: 'started',
    sortDescFirst: true,
    // ISO instants compare as they are.
    sortFn: (a, b) => plain(a.original.startedAt ?? a.original.createdAt, b.original.startedAt ?? b.original.createdAt),
  }),
  helper.accessor(tookSeconds, { id: 'took', sortFn: (a, b) => byNumber(tookSeconds(a.original), tookSeconds(b.original)) }),
  helper.accessor((run) => run.note ?? '', { id: 'note', sortFn: (a, b) => byText(a.original.note, b.original.note) }),
])

const plain = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
