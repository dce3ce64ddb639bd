import { decimalText, msText, rateText, totalText } from '../../../shared/format/index.ts'
import type { LiveCell } from '../../../shared/contract/sweeps.ts'
import type { CellStatus } from '../../../shared/model/cell.ts'
import type { CellRow, PrefillRow } from '../../../shared/model/run.ts'
import type { Style } from './style.ts'

/** Columns a cell's text takes at most. */
export const CELL_COLUMNS = 8

/** Two lines of a cell: total tok/s over TTFT, or a glyph with a word that says the status without colour. */
export interface CellText {
  top: string
  bottom: string
  paint(style: Style): (text: string) => string
}

const STATUS_TEXT: Record<Exclude<CellStatus, 'valid'>, [string, string, keyof Style & ('dim' | 'yellow' | 'red' | 'cyan')]> = {
  looped: ['↻ looped', '', 'yellow'],
  over_capacity: ['⊘ over', 'capacity', 'dim'],
  error: ['✗ error', '', 'red'],
  skipped: ['» skip', '', 'dim'],
  cancelled: ['× cancel', '', 'dim'],
  pending: ['·', '', 'dim'],
}

export function cellText(
  cell: Pick<CellRow, 'status' | 'flags' | 'totalTokensPerSecond' | 'eventsPerSecond' | 'ttftMs'> | undefined,
): CellText {
  const status = cell?.status ?? 'pending'
  if (status === 'valid' && cell) {
    const doubtful = cell.flags.length > 0
    return {
      // "ev/s" with its flag's mark would be a column too long.
      top: `${totalText(cell).replace(/ev\/s$/, 'ev')}${doubtful ? '*' : ''}`,
      bottom: shortTtft(cell.ttftMs),
      paint: (style) => (doubtful ? style.yellow : style.green),
    }
  }
  const [top, bottom, color] = STATUS_TEXT[status === 'valid' ? 'pending' : status]
  return { top, bottom, paint: (style) => style[color] }
}

/** The cell that is being measured: its rate so far over how far it is. */
export function runningCellText(live: LiveCell, windowSeconds: number): CellText {
  const rate = live.tokensPerSecond
  return {
    top: rate ? `▶${rateText(rate)}`.slice(0, CELL_COLUMNS) : '▶',
    bottom: live.phase === 'window' ? bar((live.windowSeconds ?? 0) / windowSeconds, CELL_COLUMNS) : live.phase,
    paint: (style) => style.cyan,
  }
}

/** Prefill of a context in the grid's first column. */
export function prefillText(prefill: PrefillRow | undefined): CellText {
  if (prefill && prefill.status !== 'valid') return cellText({ status: prefill.status, flags: [] })
  const text = prefill ? { top: rateText(prefill.tokensPerSecond), bottom: shortTtft(prefill.ttftMs) } : { top: '·', bottom: '' }
  return { ...text, paint: (style) => style.dim }
}

/** TTFT in at most 8 columns: milliseconds as published, from 10 s on in seconds. */
function shortTtft(ttftMs: number | undefined): string {
  return ttftMs !== undefined && ttftMs >= 9999.5 ? `${decimalText(ttftMs / 1000, 1)} s` : msText(ttftMs)
}

/** A bar of `columns` glyphs; `share` in 0…1. */
function bar(share: number, columns: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * columns)
  return '▮'.repeat(full) + '▯'.repeat(columns - full)
}
