import type { CellStatus } from '../model/cell.ts'
import type { RunDocument } from '../model/run.ts'
import { contextLabel, countText } from '../format/index.ts'
import { redactText } from '../secrets/index.ts'
import { sortedCells, sortedPrefill } from './matrix.ts'
import { STATUS_LABELS } from './statuses.ts'
import type { LogExcerpt, ReportTable } from './types.ts'

interface Unmeasured {
  phase: string
  contextTokens: number
  concurrency: number
  status: CellStatus
  reason?: string | undefined
  neededTokens?: number | undefined
  kvTokens?: number | undefined
}

/** Why each cell without figures has none. Nothing disappears: neighbours with the same reason share a line, but all are named. */
export function reasonsTable(run: RunDocument): ReportTable | undefined {
  const unmeasured: Unmeasured[] = [
    ...sortedPrefill(run).map((row) => ({ ...row, phase: 'Prefill', concurrency: 1 })),
    ...sortedCells(run).map((cell) => ({ ...cell, phase: 'Sustained decode' })),
  ].filter((row) => row.status !== 'valid')
  const rows = new Map<string, { first: Unmeasured; levels: number[]; reason: string }>()
  for (const row of unmeasured) {
    const reason = reasonText(row)
    const key = JSON.stringify([row.phase, row.contextTokens, row.status, reason])
    const known = rows.get(key)
    if (known === undefined) rows.set(key, { first: row, levels: [row.concurrency], reason })
    else known.levels.push(row.concurrency)
  }
  const told = [...rows.values()].filter(({ reason }) => reason !== '')
  if (told.length === 0) return undefined
  return {
    title: 'Why there are no figures',
    columns: ['Phase', 'Context', 'Requests at once', 'Status', 'Reason'].map((label) => ({
      label,
      numeric: label === 'Context',
    })),
    rows: told.map(({ first, levels, reason }) => [
      first.phase,
      contextLabel(first.contextTokens),
      levels.map(countText).join(', '),
      STATUS_LABELS[first.status],
      reason,
    ]),
  }
}

function reasonText(row: Unmeasured): string {
  const numbers =
    row.neededTokens === undefined || row.kvTokens === undefined
      ? ''
      : `needs ${countText(row.neededTokens)} tokens of KV cache, the server has ${countText(row.kvTokens)}`
  return redactText([row.reason ?? '', numbers].filter((text) => text !== '').join('; '))
}

/** The last log lines of a server that died under a cell. */
export function logExcerpts(run: RunDocument): LogExcerpt[] {
  return sortedCells(run).flatMap((cell) =>
    cell.logLines === undefined || cell.logLines.length === 0
      ? []
      : [
          {
            title: `Server log at ${contextLabel(cell.contextTokens)} × ${countText(cell.concurrency)}`,
            lines: cell.logLines.map(redactText),
          },
        ],
  )
}
