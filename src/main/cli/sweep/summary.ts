import { contextLabel, durationText, harmless, unwatchedText } from '../../../shared/format/index.ts'
import type { RunDocument } from '../../../shared/model/run.ts'
import { countsText, modelOf, viewOfDocument } from '../../../shared/run/index.ts'
import { gridLines, gridRoom } from '../live/grid.ts'
import type { GridParts } from '../live/picture.ts'
import type { Style } from '../live/style.ts'

/** A run for a terminal: its grid, what is wrong or doubtful with which cell, and where it stands. */
export function summaryText(document: RunDocument, options: { columns: number; style: Style }): string {
  const { style } = options
  const engine = document.engine
  const head = [
    document.name,
    modelOf(engine),
    engine?.version ? `${engine.name} ${engine.version}` : engine?.name,
    document.host ? `on ${document.host.name}` : undefined,
  ].filter((part) => part !== undefined)
  const lines = [style.bold(harmless(head.join(' · ')))]
  if (document.demo) lines.push(style.yellow('DEMO: simulated figures, nothing of this was measured on a GPU'))
  // A run that failed before its first cell has nothing to show but why.
  if (document.cells.some((cell) => cell.status !== 'cancelled' && cell.status !== 'pending')) {
    lines.push('total tok/s over TTFT; rows context, columns requests at once', '')
    lines.push(...wholeGrid(viewOfDocument(document, { doneCells: 0, totalCells: 0 }), options.columns, style))
  }
  lines.push(...remarks(document).map((text) => harmless(text)))
  const { wallSeconds } = document.timing
  lines.push(
    `${unwatchedText(inPlace(document)) ?? document.state}${document.reason ? ` (${harmless(document.reason)})` : ''}: ${countsText(document.cells)}${wallSeconds > 0 ? ` in ${durationText(wallSeconds)}` : ''}`,
  )
  return lines.join('\n')
}

const inPlace = ({ state, unwatched, path, host }: RunDocument) => ({ state, unwatched, place: path.driver, host: host?.name })

/** Every column, below each other where they don't fit beside each other: a result hides nothing. */
function wholeGrid(parts: GridParts, columns: number, style: Style): string[] {
  const lines: string[] = []
  for (let from = 0; from < parts.concurrency.length; ) {
    const room = gridRoom(columns, from === 0 && parts.prefill.length > 0)
    const part = { ...parts, concurrency: parts.concurrency.slice(from, from + room), ...(from > 0 && { prefill: [] }) }
    lines.push(...gridLines(part, { columns, lines: Number.POSITIVE_INFINITY }, style), '')
    from += room
  }
  return lines
}

/** One line for each cell that is an error or doubtful. */
function remarks(document: RunDocument): string[] {
  const lines: string[] = []
  for (const cell of document.cells) {
    const where = `${contextLabel(cell.contextTokens)} × ${cell.concurrency}`
    if (cell.status === 'error') {
      lines.push(`✗ ${where}: ${cell.reason ?? 'error'}`, ...(cell.logLines ?? []).slice(-3).map((line) => `    ${line}`))
    } else if (cell.flags.length > 0)
      lines.push(`* ${where}: ${cell.flags.map((flag) => `${flag.flag} (${flag.detail})`).join('; ')}`)
  }
  const most = 20
  return lines.length > most
    ? [...lines.slice(0, most), `  … ${lines.length - most} more lines; see \`speedgrid report\``]
    : lines
}
