import { NOT_MEASURED, contextLabel, countText } from '../format/index.ts'
import type { ReportTable } from './types.ts'

interface Column<Row> {
  label: string
  text(row: Row): string
}

export const context = { label: 'Context', text: (row: { contextTokens: number }) => contextLabel(row.contextTokens) }
export const requests = { label: 'Requests at once', text: (row: { concurrency: number }) => countText(row.concurrency) }

/** A table of the rows and columns that say anything; undefined where none does. The first `keys` columns name the row. */
export function table<Row>(
  title: string,
  note: string,
  rows: Row[],
  keys: Column<NoInfer<Row>>[],
  columns: Column<NoInfer<Row>>[],
): ReportTable | undefined {
  const said = (text: string) => text !== NOT_MEASURED && text !== ''
  const kept = columns.filter((column) => rows.some((row) => said(column.text(row))))
  const full = rows.filter((row) => kept.some((column) => said(column.text(row))))
  if (full.length === 0) return undefined
  const all = [...keys, ...kept]
  return {
    title,
    note,
    columns: all.map(({ label }) => ({ label, numeric: !TEXT_COLUMNS.has(label) })),
    rows: full.map((row) => all.map((column) => column.text(row))),
  }
}

const TEXT_COLUMNS = new Set([
  'From',
  'Phase',
  'Method',
  'Text (SHA-256)',
  'Held back by',
  'Status',
  'Source',
  'Reason',
  'Seen cold',
])
