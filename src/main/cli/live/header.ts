import { clockText, contextLabel, durationText, rateText } from '../../../shared/format/index.ts'
import { linkText } from './link-text.ts'
import type { LiveState } from './state.ts'
import type { Style } from './style.ts'
import { cut, joinFitting, widthOf } from './text.ts'

const PLACE_TEXT: Record<string, string> = { host: 'driver on the host', tunnel: 'through the tunnel', local: 'direct' }

/** Run, model, host and place; long names are cut so that each keeps a share. */
export function titleLine(state: LiveState, columns: number, style: Style): string {
  const demo = state.demo ? 'DEMO: simulated figures' : ''
  const room = columns - (demo ? widthOf(demo) + 2 : 0)
  const name = cut(state.runName, Math.max(12, Math.floor(room * 0.4)))
  const rest = joinFitting(
    [
      state.model && cut(state.model, 40),
      state.hostName && `on ${cut(state.hostName, 24)}`,
      PLACE_TEXT[state.place] ?? state.place,
    ],
    Math.max(0, room - widthOf(name) - 3),
  )
  const left = `${style.bold(name)}${rest ? ` · ${rest}` : ''}`
  return demo ? `${left}${' '.repeat(Math.max(2, columns - widthOf(left) - widthOf(demo)))}${style.yellow(demo)}` : left
}

export function statusLine(state: LiveState, nowMs: number, columns: number, style: Style): string {
  const until = state.endedAtMs ?? nowMs
  const elapsed = state.startedAtMs === undefined ? undefined : `${clockText((until - state.startedAtMs) / 1000)} elapsed`
  const cells = state.totalCells > 0 ? `${state.doneCells} of ${state.totalCells} cells` : undefined
  const link = state.link && linkText(state.link, state.place)
  const line = joinFitting([state.state, link, cells, elapsed, etaText(state, nowMs)], columns)
  if (link) return style.red(line)
  return state.state === 'paused' ? style.yellow(line) : line
}

/** The driver's estimate, counted down since it was made. */
export function etaText(state: LiveState, nowMs: number): string | undefined {
  if (state.remainingSeconds === undefined || state.endedAtMs !== undefined) return undefined
  const since = state.beatAtMs === undefined || state.state === 'paused' ? 0 : (nowMs - state.beatAtMs) / 1000
  return `about ${clockText(Math.max(0, state.remainingSeconds - Math.max(0, since)))} left`
}

/** What is being done right now. */
export function currentLine(state: LiveState, columns: number): string {
  const { current } = state
  if (!current) return cut(state.preparing ?? (state.reason ? `${state.state}: ${state.reason}` : ''), columns)
  const where = `${contextLabel(current.contextTokens)} × ${current.concurrency}${current.attempt > 1 ? `, attempt ${current.attempt}` : ''}`
  const seconds = current.windowSeconds ?? 0
  const progress =
    current.phase === 'window' ? `window ${seconds.toFixed(1)} of ${durationText(state.planSeconds)}` : current.phase
  const rate = current.tokensPerSecond ? `${rateText(current.tokensPerSecond)} tok/s` : undefined
  const streams =
    current.activeStreams === undefined ? undefined : `${current.activeStreams} of ${current.concurrency} streams decode`
  return joinFitting([`${where}: ${progress}`, rate, streams, current.detail], columns)
}
