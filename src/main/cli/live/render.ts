import { gridLines } from './grid.ts'
import { currentLine, statusLine, titleLine } from './header.ts'
import { stripLines } from './strip.ts'
import type { SweepEvent } from '../../../shared/contract/sweeps.ts'
import type { Picture } from './picture.ts'
import type { Style } from './style.ts'
import { cut } from './text.ts'

interface Viewport {
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
export function render(picture: Picture, viewport: Viewport): string[] {
  const { view } = picture
  const { style, nowMs } = viewport
  const columns = Math.max(20, viewport.columns - 1)
  const rows = Math.max(6, viewport.rows - 1)
  const strip = stripLines(picture, columns, rows >= 20 ? 4 : 1)
  const head = [titleLine(view, columns, style), statusLine(picture, nowMs, columns, style)]
  const now = currentLine(view, columns)
  const keys = viewport.notice ? style.inverse(cut(viewport.notice, columns)) : style.dim(cut(viewport.keys, columns))

  const said = eventsOf(picture)
  const fixed = head.length + 1 + strip.length + 1
  const gridWish = view.contexts.length * 2 + 2
  let spare = rows - fixed - gridWish
  const blanks = spare >= 3 ? 3 : 0
  spare -= blanks
  const eventRoom = Math.min(MOST_EVENTS, Math.max(spare, rows >= 14 ? 1 : 0), said.length)
  const grid = gridLines(view, { columns, lines: Math.max(3, rows - fixed - blanks - eventRoom) }, style)
  const blank = blanks > 0 ? [''] : []
  const events = said.slice(said.length - eventRoom).map((event) => eventText(event, columns, style))
  return [...head, ...blank, ...grid, ...blank, now, ...strip.map((line) => style.dim(line)), ...events, ...blank, keys].slice(
    -rows,
  )
}

/** What the grid and the head don't say. */
function eventsOf({ view, notes }: Picture): SweepEvent[] {
  const news = [...view.events.filter((event) => event.isShownElsewhere !== true), ...notes]
  return news.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function eventText(event: SweepEvent, columns: number, style: Style): string {
  const text = cut(`${timeOfDay(Date.parse(event.at))}  ${event.text}`, columns)
  if (event.level === 'error') return style.red(text)
  return event.level === 'warn' ? style.yellow(text) : text
}

/** Local wall clock, HH:MM:SS. */
export function timeOfDay(ms: number): string {
  const date = new Date(ms)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}
