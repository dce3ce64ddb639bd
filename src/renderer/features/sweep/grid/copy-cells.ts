import { contextLabel, countText, markdownTable, markdownText } from '../../../../shared/format/index.ts'
import type { CellRow, PrefillRow } from '../../../../shared/model/run.ts'
import { STATUS_LABELS } from '../../../../shared/report/index.ts'
import { type CellKey, cellKey } from '../state/sweep-state.ts'
import { type Metric, METRICS } from './metrics.ts'
import type { Range } from './navigation.ts'

/** A column of the grid: the prefill of each context, or a number of requests at once. */
export type GridColumn = 'prefill' | number

export interface CopyInput {
  contexts: readonly number[]
  columns: readonly GridColumn[]
  cells: ReadonlyMap<CellKey, CellRow>
  prefill: ReadonlyMap<number, PrefillRow>
  metric: Metric
  range: Range
}

const columnsOf = ({ columns, range }: CopyInput) => columns.slice(range.left, range.right + 1)
const contextsOf = ({ contexts, range }: CopyInput) => contexts.slice(range.top, range.bottom + 1)

/** The range for a spreadsheet: plain numbers with headers, statuses as words, nothing for what isn't there. */
export function cellsAsTsv(input: CopyInput): string {
  const { metric, cells, prefill } = input
  const corner = `${metric.label}${metric.label.includes(metric.unit) ? '' : ` (${metric.unit})`} · context \\ at once`
  const head = [corner, ...columnsOf(input).map((column) => (column === 'prefill' ? 'Prefill tok/s' : String(column)))]
  const body = contextsOf(input).map((context) => [
    String(context),
    ...columnsOf(input).map((column) =>
      column === 'prefill'
        ? plain(prefill.get(context), (row) => row.tokensPerSecond)
        : plain(cells.get(cellKey(context, column)), metric.read),
    ),
  ])
  return [head, ...body].map((row) => row.join('\t')).join('\n')
}

function plain<Row extends { status: CellRow['status'] }>(row: Row | undefined, read: (row: Row) => number | undefined): string {
  if (!row) return ''
  if (row.status !== 'valid') return STATUS_LABELS[row.status]
  const value = read(row)
  return value === undefined ? '' : String(Number(value.toPrecision(7)))
}

/** The range as people read it: labels, formats and units as on the screen. */
export function cellsAsMarkdown(input: CopyInput): string {
  const { metric, cells, prefill } = input
  const columns = columnsOf(input)
  const head = [
    'Context \\ at once',
    ...columns.map((column) => (column === 'prefill' ? 'Prefill tok/s / TTFT' : countText(column))),
  ]
  const body = contextsOf(input).map((context) => [
    contextLabel(context),
    ...columns.map((column) =>
      column === 'prefill' ? readablePrefill(prefill.get(context)) : readable(cells.get(cellKey(context, column)), metric),
    ),
  ])
  const table = markdownTable(
    head.map(markdownText),
    body.map((row) => row.map(markdownText)),
    ['l', ...columns.map(() => 'r' as const)],
  )
  return `${metric.label}${metric.id === 'ttft' ? '' : ' / TTFT'}\n\n${table}`
}

function readable(cell: CellRow | undefined, metric: Metric): string {
  if (!cell) return ''
  if (cell.status !== 'valid') return STATUS_LABELS[cell.status]
  const figure = metric.text(metric.read(cell))
  return metric.id === 'ttft' ? figure : `${figure} / ${METRICS.ttft.text(cell.ttftMs)}`
}

function readablePrefill(row: PrefillRow | undefined): string {
  if (!row) return ''
  if (row.status !== 'valid') return STATUS_LABELS[row.status]
  return `${METRICS.total.text(row.tokensPerSecond)} / ${METRICS.ttft.text(row.ttftMs)}`
}
