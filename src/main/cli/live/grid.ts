import { contextLabel } from '../../../shared/format/index.ts'
import { cellKey, type GridCell } from '../../../shared/run/index.ts'
import { CELL_COLUMNS, type CellText, cellText, prefillText, runningCellText } from './cell-text.ts'
import type { GridParts } from './picture.ts'
import type { Style } from './style.ts'
import { cut, padStart, widthOf } from './text.ts'

const STEP = CELL_COLUMNS + 1
/** Columns of the context's label and the gap after it. */
const LABEL = 5

interface GridSpace {
  columns: number
  /** Lines there are for the grid, its two heading lines included. */
  lines: number
}

/** How many columns of cells fit beside each other. */
export function gridRoom(columns: number, withPrefill: boolean): number {
  return Math.max(1, Math.floor((columns - LABEL) / STEP) - (withPrefill ? 1 : 0))
}

/** Rows contexts, columns concurrency. Where it doesn't fit, the part around the cell that runs, and how much is beside it. */
export function gridLines(parts: GridParts, space: GridSpace, style: Style): string[] {
  const { contexts, concurrency, live } = parts
  if (contexts.length === 0 || concurrency.length === 0) return []
  const room = gridRoom(space.columns, false)
  const withPrefill =
    parts.prefill.length > 0 && room > Math.min(concurrency.length, 3) && room >= Math.min(concurrency.length + 1, 7)
  const focusColumn = live ? concurrency.indexOf(live.concurrency) : -1
  const across = slice(concurrency.length, room - (withPrefill ? 1 : 0), focusColumn)
  const shown = concurrency.slice(across.from, across.to)

  const rowRoom = Math.max(1, space.lines - 2)
  const tall = contexts.length * 2 <= rowRoom
  const focusRow = live ? contexts.indexOf(live.contextTokens) : -1
  const hidden = contexts.length > rowRoom
  const down = slice(contexts.length, tall ? contexts.length : Math.max(1, hidden ? rowRoom - 1 : rowRoom), focusRow)

  const cells = new Map(parts.cells.map((cell) => [cellKey(cell), cell]))
  const textAt = (cell: GridCell): CellText =>
    live !== undefined && cellKey(live) === cellKey(cell)
      ? runningCellText(live, parts.windowSeconds)
      : cellText(cells.get(cellKey(cell)))
  const start = LABEL + 1 + (withPrefill ? STEP : 0)
  const lines = [style.dim(caption(across, concurrency.length, start, space.columns))]
  const heads = [...(withPrefill ? ['prefill'] : []), ...shown.map(String)]
  lines.push(style.bold(padStart('ctx', LABEL) + heads.map((head) => padStart(head, STEP)).join('')))
  for (const contextTokens of contexts.slice(down.from, down.to)) {
    const texts = [
      ...(withPrefill ? [prefillText(parts.prefill.find((row) => row.contextTokens === contextTokens))] : []),
      ...shown.map((level) => textAt({ contextTokens, concurrency: level })),
    ]
    lines.push(style.bold(padStart(contextLabel(contextTokens), LABEL)) + paintRow(texts, 'top', style))
    if (tall) lines.push(' '.repeat(LABEL) + paintRow(texts, 'bottom', style))
  }
  if (hidden) lines.push(style.dim(`${' '.repeat(LABEL)} contexts ${down.from + 1}–${down.to} of ${contexts.length}`))
  return lines.map((line) => line.trimEnd())
}

function paintRow(texts: CellText[], part: 'top' | 'bottom', style: Style): string {
  return texts.map((text) => ' '.repeat(Math.max(0, STEP - widthOf(text[part]))) + text.paint(style)(text[part])).join('')
}

function caption(across: { from: number; to: number }, total: number, start: number, columns: number): string {
  const left = across.from > 0 ? `‹ ${across.from} more` : ''
  const right = across.to < total ? `${total - across.to} more ›` : ''
  const [full, short] = [
    [left, 'requests at once', right],
    [left, right],
  ].map((parts) => parts.filter(Boolean).join('  '))
  const text = ' '.repeat(start) + (start + widthOf(full ?? '') <= columns ? full : short)
  return cut(text, columns)
}

/** The `room` neighbours around `focus` among `count`; the first ones where nothing has the focus. */
export function slice(count: number, room: number, focus: number): { from: number; to: number } {
  if (count <= room) return { from: 0, to: count }
  const size = Math.max(1, room)
  const from = focus < 0 ? 0 : Math.min(Math.max(0, focus - Math.floor(size / 2)), count - size)
  return { from, to: from + size }
}
