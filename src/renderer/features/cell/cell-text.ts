import { contextLabel, countText, markdownTable, markdownText } from '../../../shared/format/index.ts'
import type { CellRow } from '../../../shared/model/run.ts'
import { doubtText } from '../../../shared/report/flags.ts'
import { STATUS_LABELS } from '../../../shared/report/statuses.ts'
import { figureGroups, percentileRows } from './figure-rows.ts'

/** The cell for a message to a colleague. */
export function cellAsMarkdown(row: CellRow): string {
  const title = `${contextLabel(row.contextTokens)} × ${countText(row.concurrency)}: ${STATUS_LABELS[row.status]}`
  const parts = [`**${markdownText(title)}**`]
  if (row.reason !== undefined) parts.push(markdownText(row.reason))
  if (row.status === 'valid') {
    const rows = figureGroups(row, row.flags).flatMap((group) =>
      group.rows.map(({ label, text }) => [label, text].map(markdownText)),
    )
    parts.push(markdownTable(['Figure', 'Value'], rows, ['l', 'r']))
    const percentiles = percentileRows(row)
    if (percentiles.length > 0)
      parts.push(
        markdownTable(
          ['Percentiles', 'p50', 'p90', 'p99'],
          percentiles.map((it) => [it.label, it.p50, it.p90, it.p99]),
          ['l', 'r', 'r', 'r'],
        ),
      )
  }
  if (row.flags.length > 0) parts.push(row.flags.map((flag) => `- ${markdownText(doubtText(flag))}`).join('\n'))
  return parts.join('\n\n')
}
