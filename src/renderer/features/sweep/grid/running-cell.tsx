import type { LiveCell } from '../../../../shared/contract/sweeps.ts'
import { decimalText, rateText } from '../../../../shared/format/index.ts'
import type { CellPhase } from '../../../../shared/model/states.ts'
import { useSweep } from '../state/sweep-feed.ts'
import { ProgressRing } from './progress-ring.tsx'
import classes from './running.module.css'
import { Sparkline } from './sparkline.tsx'

export const PHASE_LABELS: Record<CellPhase, string> = {
  waiting: 'waiting',
  barrier: 'clearing',
  warmup: 'warm-up',
  scout: 'prefill',
  fill: 'filling',
  window: 'window',
  drain: 'draining',
  done: 'done',
}

export const PHASE_MEANINGS: Record<CellPhase, string> = {
  waiting: 'Waiting for its turn.',
  barrier: 'Waiting until nothing of the last cell runs any more.',
  warmup: 'Warming up kernels for this batch size.',
  scout: 'One request fills the prompt cache; the first one of a context is its prefill.',
  fill: 'Starting requests until all of them produce output.',
  window: 'Measuring.',
  drain: 'Ending the requests.',
  done: 'Done.',
}

function phaseText(live: LiveCell, windowSeconds: number): string {
  if (live.phase === 'window')
    return `${decimalText(live.windowSeconds ?? 0, 0)}/${decimalText(windowSeconds, windowSeconds % 1 ? 1 : 0)} s`
  if (live.phase === 'fill' && live.activeStreams !== undefined) return `fill ${live.activeStreams}/${live.concurrency}`
  return PHASE_LABELS[live.phase]
}

const windowShare = (live: LiveCell, windowSeconds: number): number | undefined =>
  live.phase === 'window' ? (live.windowSeconds ?? 0) / windowSeconds : live.phase === 'drain' ? 1 : undefined

/** The cell that is being measured: ring and rate over its phase, the last seconds as a line behind them. */
export function RunningCell({ live }: { live: LiveCell }) {
  const windowSeconds = useSweep((state) => state.head.windowSeconds)
  return (
    <span className={classes.running}>
      <Sparkline className={classes.spark} values={live.recentRates} width={80} height={18} />
      <span className={classes.rate}>{live.tokensPerSecond ? rateText(live.tokensPerSecond) : '…'}</span>
      <span className={classes.line}>
        <ProgressRing share={windowShare(live, windowSeconds)} size={12} />
        <span className={classes.phase}>{phaseText(live, windowSeconds)}</span>
      </span>
    </span>
  )
}
