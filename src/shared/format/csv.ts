import { harmless } from './harmless.ts'

export type CsvValue = string | number | boolean | undefined

/**
 * RFC 4180: CRLF, quotes doubled. A text that a spreadsheet would take for a formula gets an apostrophe in front
 * (https://owasp.org/www-community/attacks/CSV_Injection); numbers are written as they are.
 */
export function csvText(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join('')
}

export function csvField(value: CsvValue): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  const text = harmless(value)
  const isFormula = /^\s*[=+\-@\t\r＝＋－＠]|^\\u/.test(text) && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)
  const guarded = isFormula ? `'${text}` : text
  // Where a comma is the decimal point, a semicolon parts the cells.
  return /[",;\r\n\t]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
