import { Progress, Tooltip } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { contextLabel, countText, rateText } from '../../../../shared/format/index.ts'
import { useNow } from '../../../ui/use-now.ts'
import { PHASE_LABELS, PHASE_MEANINGS } from '../grid/running-cell.tsx'
import { useSweep } from '../state/sweep-feed.ts'
import { elapsedText, etaText, PLACE_LABELS, PLACE_MEANINGS, STATE_LABELS } from './head-text.ts'
import classes from './live.module.css'

/** Beside the screen's title: which run, of what, where. */
export function RunContext() {
  const head = useSweep((state) => state.head)
  return (
    <>
      {head.demo && <span className={classes.demo}>Demo: simulated figures</span>}
      <strong className={classes.runName} title={head.name}>
        {head.name}
      </strong>
      <span className={classes.runWhat} title={[head.model, head.host].filter(Boolean).join(' on ')}>
        {[head.model, head.host].filter(Boolean).join(' on ')}
      </span>
    </>
  )
}

/** How far, how long, from where. */
export function RunHead() {
  const head = useSweep((state) => state.head)
  const now = useNow(1000)
  const saidAt = useSaidAt(head.remainingSeconds)
  const eta = etaText(head, saidAt, Math.max(now, saidAt))
  const elapsed = elapsedText(head, now)
  const share = head.totalCells === 0 ? 0 : (100 * head.doneCells) / head.totalCells
  return (
    <div className={classes.head}>
      <span className={classes.state} data-state={head.state}>
        {STATE_LABELS[head.state]}
      </span>
      <span className={classes.progress}>
        <Progress value={share} size={6} aria-label="Cells done" className={classes.bar} />
        <span className="figure">
          {countText(head.doneCells)} of {countText(head.totalCells)} cells
        </span>
      </span>
      {eta !== undefined && (
        <Tooltip label="From the plan and what the cells took so far; it gets better with every cell.">
          <span className="figure">{eta}</span>
        </Tooltip>
      )}
      {elapsed !== undefined && <span className={`figure ${classes.quiet}`}>{elapsed} elapsed</span>}
      <Now />
      {head.place !== undefined && (
        <Tooltip label={[PLACE_MEANINGS[head.place], head.placeNote].filter(Boolean).join(' ')}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tooltip is for the keyboard too */}
          <span className={classes.place} tabIndex={0}>
            {PLACE_LABELS[head.place]}
            {head.placeNote === undefined ? '' : ' *'}
          </span>
        </Tooltip>
      )}
    </div>
  )
}

/** What is being done right now, in words. */
function Now() {
  const live = useSweep((state) => state.live)
  if (!live) return null
  const streams =
    live.activeStreams === undefined ? '' : `, ${countText(live.activeStreams)} of ${countText(live.concurrency)} decode`
  return (
    <Tooltip label={live.detail ?? PHASE_MEANINGS[live.phase]}>
      <span className={classes.now}>
        <strong>
          {contextLabel(live.contextTokens)} × {countText(live.concurrency)}
        </strong>{' '}
        {PHASE_LABELS[live.phase]}
        {live.tokensPerSecond === undefined ? '' : `, ${rateText(live.tokensPerSecond)} tok/s`}
        {streams}
      </span>
    </Tooltip>
  )
}

/** When the estimate last changed, by our clock: the engine's may differ. */
function useSaidAt(remainingSeconds: number | undefined): number {
  const said = useRef({ remainingSeconds, at: Date.now() })
  useEffect(() => {
    if (said.current.remainingSeconds !== remainingSeconds) said.current = { remainingSeconds, at: Date.now() }
  }, [remainingSeconds])
  return said.current.remainingSeconds === remainingSeconds ? said.current.at : Date.now()
}
