import { clockText, contextLabel, durationText, rateText } from '../../../shared/format/index.ts'
import type { SweepView } from '../../../shared/contract/sweeps.ts'
import { linkText } from './link-text.ts'
import type { Picture } from './picture.ts'
import type { Style } from './style.ts'
import { cut, joinFitting, widthOf } from './text.ts'

const PLACE_TEXT: Record<NonNullable<SweepView['place']>, string> = {
  host: 'driver on the host',
  tunnel: 'through the tunnel',
  local: 'direct',
}

/** Run, model, host and place; long names are cut so that each keeps a share. */
export function titleLine(view: SweepView, columns: number, style: Style): string {
  const demo = view.demo ? 'DEMO: simulated figures' : ''
  const room = columns - (demo ? widthOf(demo) + 2 : 0)
  const name = cut(view.name, Math.max(12, Math.floor(room * 0.4)))
  const rest = joinFitting(
    [view.model && cut(view.model, 40), view.host && `on ${cut(view.host, 24)}`, view.place && PLACE_TEXT[view.place]],
    Math.max(0, room - widthOf(name) - 3),
  )
  const left = `${style.bold(name)}${rest ? ` · ${rest}` : ''}`
  return demo ? `${left}${' '.repeat(Math.max(2, columns - widthOf(left) - widthOf(demo)))}${style.yellow(demo)}` : left
}

export function statusLine(picture: Picture, nowMs: number, columns: number, style: Style): string {
  const { view } = picture
  const untilMs = view.finishedAt === undefined ? nowMs : Date.parse(view.finishedAt)
  const elapsed = view.startedAt === undefined ? undefined : `${clockText((untilMs - Date.parse(view.startedAt)) / 1000)} elapsed`
  const cells = view.totalCells > 0 ? `${view.doneCells} of ${view.totalCells} cells` : undefined
  const link = linkText(view)
  const line = joinFitting([view.state, link, cells, elapsed, etaText(picture, nowMs)], columns)
  if (link) return style.red(line)
  return view.state === 'paused' ? style.yellow(line) : line
}

/** The driver's estimate, counted down since it was made. */
function etaText({ view, saidAtMs }: Picture, nowMs: number): string | undefined {
  if (view.remainingSeconds === undefined || view.finishedAt !== undefined) return undefined
  const since = saidAtMs === undefined || view.state === 'paused' ? 0 : (nowMs - saidAtMs) / 1000
  return `about ${clockText(Math.max(0, view.remainingSeconds - Math.max(0, since)))} left`
}

/** What is being done right now, or what was last. */
export function currentLine({ live, reason, state, events, windowSeconds }: SweepView, columns: number): string {
  if (!live) {
    const isGoingOn = state === 'preparing' || state === 'running'
    return cut(reason ? `${state}: ${reason}` : isGoingOn ? (events.at(-1)?.text ?? '') : '', columns)
  }
  const where = `${contextLabel(live.contextTokens)} × ${live.concurrency}${live.attempt > 1 ? `, attempt ${live.attempt}` : ''}`
  const progress =
    live.phase === 'window' ? `window ${(live.windowSeconds ?? 0).toFixed(1)} of ${durationText(windowSeconds)}` : live.phase
  const rate = live.tokensPerSecond ? `${rateText(live.tokensPerSecond)} tok/s` : undefined
  const streams = live.activeStreams === undefined ? undefined : `${live.activeStreams} of ${live.concurrency} streams decode`
  return joinFitting([`${where}: ${progress}`, rate, streams, live.detail], columns)
}
