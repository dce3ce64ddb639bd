import { gridLines } from './grid.ts'
import { currentLine, statusLine, titleLine } from './header.ts'
import { stripLines } from './strip.ts'
import type { LiveState } from './state.ts'
import type { Style } from './style.ts'
import { cut } from './text.ts'

export interface Viewport {
  columns: number
  rows: number
  nowMs: number
  style: Style
  /** Replaces the key help: a question, or what is being waited for. */
  notice?: string
  keys: string
}

const MOST_EVENTS = 4

/** The whole picture: at most `rows − 1` lines of at most `columns − 1` columns, so that nothing wraps or scrolls. */
export function render(state: LiveState, view: Viewport): string[] {
  const { style, nowMs } = view
  const columns = Math.max(20, view.columns - 1)
  const rows = Math.max(6, view.rows - 1)
  const strip = stripLines(state, columns, rows >= 20 ? 4 : 1)
  const head = [titleLine(state, columns, style), statusLine(state, nowMs, columns, style)]
  const now = currentLine(state, columns)
  const keys = view.notice ? style.inverse(cut(view.notice, columns)) : style.dim(cut(view.keys, columns))

  const fixed = head.length + 1 + strip.length + 1
  const gridWish = state.contexts.length * 2 + 2
  let spare = rows - fixed - gridWish
  const blanks = spare >= 3 ? 3 : 0
  spare -= blanks
  const eventRoom = Math.min(MOST_EVENTS, Math.max(spare, rows >= 14 ? 1 : 0), state.events.length)
  const grid = gridLines(state, { columns, lines: Math.max(3, rows - fixed - blanks - eventRoom) }, style)
  const blank = blanks > 0 ? [''] : []
  const events = state.events.slice(state.events.length - eventRoom).map((event) => eventText(event, columns, style))
  return [...head, ...blank, ...grid, ...blank, now, ...strip.map((line) => style.dim(line)), ...events, ...blank, keys].slice(
    -rows,
  )
}

function eventText(event: LiveState['events'][number], columns: number, style: Style): string {
  const text = cut(`${timeOfDay(event.atMs)}  ${event.text}`, columns)
  if (event.level === 'error') return style.red(text)
  return event.level === 'warn' ? style.yellow(text) : text
}

/** Local wall clock, HH:MM:SS. */
export function timeOfDay(ms: number): string {
  const date = new Date(ms)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}
