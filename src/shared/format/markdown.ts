import { harmless } from './harmless.ts'

/** Text that stays text in Markdown, also inside a table cell: one line, markup characters escaped. */
export function markdownText(text: string): string {
  return (
    oneLine(text)
      .replace(/[\\`*_{}[\]<>|~#&]/g, (mark) =>
        mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : mark === '&' ? '&amp;' : `\\${mark}`,
      )
      // GitHub makes links of bare addresses.
      .replace(/:\/\//g, ':\\//')
      .replace(/\b(www)\./gi, '$1\\.')
      .replaceAll('@', '\\@')
      .replace(/^(\s*)([-+]|\d+[.)])(\s)/, '$1\\$2$3')
  )
}

/** A code block whose fence nothing in the text can close. */
export function markdownBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${fence}${language}\n${harmless(text)}\n${fence}`
}

/** A table of cells that are Markdown already. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align: readonly ('l' | 'r')[] = [],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = header.map((_, index) => (align[index] === 'r' ? '---:' : '---'))
  return [line(header), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length))
}

const oneLine = (text: string) => harmless(text).replace(/[\s]+/g, ' ')
