import { contextLabel, countText, decimalText, totalText } from '../../../../shared/format/index.ts'
import type { CellRow } from '../../../../shared/model/run.ts'
import { flagLabel, STATUS_LABELS } from '../../../../shared/report/index.ts'
import { type Metric, shortMs } from './metrics.ts'

/** What a cell of the grid says. */
interface CellText {
  primary: string
  secondary: string
  /** "(29/32)*": fewer requests ran than were asked for. */
  effective?: string
  /** Doubts about the figure that is shown. */
  doubts: number
}

export function cellText(cell: CellRow, metric: Metric): CellText {
  if (cell.status !== 'valid') return { primary: STATUS_LABELS[cell.status], secondary: shortReason(cell), doubts: 0 }
  const effective = effectiveText(cell)
  return {
    primary: metric.id === 'total' ? totalText(cell) : metric.text(metric.read(cell)),
    secondary: metric.id === 'ttft' ? totalText(cell) : shortMs(cell.ttftMs),
    ...(effective !== undefined && { effective }),
    doubts: shownFlags(cell, metric).length,
  }
}

/** Flags that are about the shown figure: those of the whole cell, and those that name it. */
function shownFlags(cell: CellRow, metric: Metric): CellRow['flags'] {
  return cell.flags.filter((flag) => flag.figures === undefined || flag.figures.some((figure) => metric.figures.includes(figure)))
}

/** Effective concurrency where the gate never filled (docs/measurement.md 5, not_filled). */
export function effectiveText(cell: CellRow): string | undefined {
  if (!cell.flags.some((flag) => flag.flag === 'not_filled')) return undefined
  const ran = cell.activeRequestsMean ?? cell.decodingStreamsMean
  if (ran === undefined) return `(?/${countText(cell.concurrency)})*`
  // Rounded to the number that was asked for, the mark would say nothing.
  const needsDecimal = (ran < 10 && Math.abs(ran - Math.round(ran)) >= 0.05) || Math.round(ran) === cell.concurrency
  const digits = needsDecimal ? 1 : 0
  return `(${decimalText(ran, digits)}/${countText(cell.concurrency)})*`
}

function shortReason(cell: CellRow): string {
  if (cell.status !== 'over_capacity' || cell.neededTokens === undefined || cell.kvTokens === undefined) return ''
  return `${decimalText(cell.neededTokens / cell.kvTokens, 1)} × KV`
}

export const cellName = (contextTokens: number, concurrency: number): string =>
  `${contextLabel(contextTokens)} × ${countText(concurrency)}`

/** The cell for a screen reader: place, status, figures with their units, doubts. */
export function spokenCell(cell: CellRow, metric: Metric): string {
  const place = `${contextLabel(cell.contextTokens)} context, ${countText(cell.concurrency)} at once`
  if (cell.status !== 'valid') return [place, STATUS_LABELS[cell.status], cell.reason].filter(Boolean).join(': ')
  const figure = metric.read(cell)
  const parts = [
    figure === undefined
      ? metric.id === 'total' && cell.eventsPerSecond !== undefined
        ? totalText(cell)
        : `${metric.label} not measured`
      : `${metric.text(figure).replace(/ ms$/, '')} ${metric.spoken}`,
    metric.id !== 'ttft' && cell.ttftMs !== undefined ? `${shortMs(cell.ttftMs)} to first token` : undefined,
    ...shownFlags(cell, metric).map((flag) => flagLabel(flag.flag).toLowerCase()),
  ]
  return `${place}: ${parts.filter(Boolean).join(', ')}`
}
