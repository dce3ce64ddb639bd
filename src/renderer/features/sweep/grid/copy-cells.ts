import { contextLabel, countText, markdownTable, markdownText } from '../../../../shared/format/index.ts'
import type { CellRow } from '../../../../shared/model/run.ts'
import { STATUS_LABELS } from '../../../../shared/report/index.ts'
import { type CellKey, cellKey } from '../state/sweep-state.ts'
import type { Metric } from './metrics.ts'
import { METRICS } from './metrics.ts'
import type { Range } from './navigation.ts'

export interface CopyInput {
  contexts: readonly number[]
  levels: readonly number[]
  cells: ReadonlyMap<CellKey, CellRow>
  metric: Metric
  range: Range
}

/** The range for a spreadsheet: plain numbers with headers, statuses as words, nothing for what isn't there. */
export function cellsAsTsv({ contexts, levels, cells, metric, range }: CopyInput): string {
  const columns = levels.slice(range.left, range.right + 1)
  const rows = contexts.slice(range.top, range.bottom + 1)
  const head = [
    `${metric.label}${metric.label.includes(metric.unit) ? '' : ` (${metric.unit})`} · context \\ at once`,
    ...columns.map(String),
  ]
  const body = rows.map((context) => [
    String(context),
    ...columns.map((level) => plainCell(cells.get(cellKey(context, level)), metric)),
  ])
  return [head, ...body].map((row) => row.join('\t')).join('\n')
}

function plainCell(cell: CellRow | undefined, metric: Metric): string {
  if (!cell) return ''
  if (cell.status !== 'valid') return STATUS_LABELS[cell.status]
  const value = metric.read(cell)
  return value === undefined ? '' : String(Number(value.toPrecision(7)))
}

/** The range as people read it: labels, formats and units as on the screen. */
export function cellsAsMarkdown({ contexts, levels, cells, metric, range }: CopyInput): string {
  const columns = levels.slice(range.left, range.right + 1)
  const rows = contexts.slice(range.top, range.bottom + 1)
  const head = [`Context \\ at once`, ...columns.map(countText)]
  const body = rows.map((context) => [
    contextLabel(context),
    ...columns.map((level) => readableCell(cells.get(cellKey(context, level)), metric)),
  ])
  const title = `${metric.label}${metric.id === 'ttft' ? '' : ' / TTFT'}`
  return `${title}\n\n${markdownTable(
    head.map(markdownText),
    body.map((row) => row.map(markdownText)),
    ['l', ...columns.map(() => 'r' as const)],
  )}`
}

function readableCell(cell: CellRow | undefined, metric: Metric): string {
  if (!cell) return ''
  if (cell.status !== 'valid') return STATUS_LABELS[cell.status]
  const figure = metric.text(metric.read(cell))
  return metric.id === 'ttft' ? figure : `${figure} / ${METRICS.ttft.text(cell.ttftMs)}`
}
