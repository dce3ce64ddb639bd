/** Tab-separated text for spreadsheets; what would start a formula there gets a quote in front. */
export function tsvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(tsvCell).join('\t')).join('\n')
}

function tsvCell(text: string): string {
  const flat = text.replace(/[\t\r\n]+/g, ' ')
  return /^[=+@]|^-[^\d.]/.test(flat) ? `'${flat}` : flat
}
