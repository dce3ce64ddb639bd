import { padEnd, widthOf } from './live/text.ts'
import { printable } from './output.ts'

/** A table for a terminal: columns as wide as their widest text. */
export function textTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows].map((row) => row.map((cell) => printable(cell).replaceAll('\n', ' ')))
  const widths = heads.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))))
  return all
    .map((row) =>
      row
        .map((cell, column) => padEnd(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
