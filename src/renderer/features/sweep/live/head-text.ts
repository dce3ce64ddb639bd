import { clockText, durationText } from '../../../../shared/format/index.ts'
import { isRunOver, type RunState } from '../../../../shared/model/states.ts'
import type { SweepHead } from '../state/sweep-state.ts'

export const STATE_LABELS: Record<RunState, string> = {
  planned: 'Planned',
  preparing: 'Preparing',
  running: 'Running',
  paused: 'Paused',
  interrupted: 'Interrupted',
  finished: 'Finished',
  stopped: 'Stopped',
  failed: 'Failed',
}

export const PLACE_LABELS = {
  host: 'Driver on the host',
  tunnel: 'Through the tunnel',
  local: 'Direct',
} as const

export const PLACE_MEANINGS = {
  host: 'The load comes from the host itself and talks to 127.0.0.1: the network is out of the numbers, and the sweep goes on when this machine sleeps.',
  tunnel:
    'The load comes from this machine through SSH: the path is part of the numbers, and the sweep stops when this machine sleeps.',
  local: 'The load comes from this machine straight to the address.',
} as const

/** Seconds since the run began, or that it took. */
export function elapsedSeconds(head: SweepHead, nowMs: number): number | undefined {
  if (head.startedAt === undefined) return undefined
  const end = head.finishedAt === undefined || !isRunOver(head.state) ? nowMs : Date.parse(head.finishedAt)
  return Math.max(0, (end - Date.parse(head.startedAt)) / 1000)
}

/** The driver's estimate counted down since it was said (`saidAtMs`); it stands still while paused. */
export function etaText(head: SweepHead, saidAtMs: number, nowMs: number): string | undefined {
  if (head.remainingSeconds === undefined || isRunOver(head.state) || head.state === 'interrupted') return undefined
  const since = head.state === 'running' || head.state === 'preparing' ? Math.max(0, nowMs - saidAtMs) / 1000 : 0
  const left = Math.max(0, head.remainingSeconds - since)
  return left < 1 ? 'about to finish' : `about ${durationText(left < 10 ? Math.ceil(left) : left).replace(/\.0 s$/, ' s')} left`
}

export const elapsedText = (head: SweepHead, nowMs: number): string | undefined => {
  const seconds = elapsedSeconds(head, nowMs)
  return seconds === undefined ? undefined : clockText(seconds)
}
