import { harmless } from '../../shared/format/index.ts'
import { padEnd, widthOf } from './live/text.ts'

type Row = readonly string[]

const lineOf = (cell: string) => harmless(cell).replaceAll('\n', ' ')

/** How wide each column has to be, at least as wide as `atLeast`. */
export function columnWidths(rows: readonly Row[], atLeast: readonly number[] = []): number[] {
  const count = Math.max(atLeast.length, ...rows.slice(0, 1).map((row) => row.length))
  return Array.from({ length: count }, (_, column) =>
    rows.reduce((width, row) => Math.max(width, widthOf(lineOf(row[column] ?? ''))), atLeast[column] ?? 0),
  )
}

/** A table for a terminal: columns as wide as their widest text, or as wide as is said. */
export function textTable(heads: Row, rows: readonly Row[]): string {
  const all = [heads, ...rows]
  return tableLines(all, columnWidths(all))
}

export function tableLines(rows: readonly Row[], widths: readonly number[]): string {
  return rows
    .map((row) =>
      row
        .map((cell, column) => padEnd(lineOf(cell), widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
