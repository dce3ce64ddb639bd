import { Progress, Tooltip } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { contextLabel, countText, rateText } from '../../../../shared/format/index.ts'
import { useNow } from '../../../ui/use-now.ts'
import { PHASE_LABELS, PHASE_MEANINGS } from '../grid/running-cell.tsx'
import { BaselineNote } from './baseline-note.tsx'
import { useSweep, useSweepFeed } from '../state/sweep-feed.ts'
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

/** How far, how long, from where. Each piece listens for itself: with twenty messages a second only what changed is rendered. */
export function RunHead() {
  const state = useSweep(({ head }) => head.state)
  return (
    <div className={classes.head}>
      <span className={classes.state} data-state={state}>
        {STATE_LABELS[state]}
      </span>
      <CellsDone />
      <Clocks />
      <Now />
      <span className={classes.push} />
      <BaselineNote />
      <Place />
    </div>
  )
}

function CellsDone() {
  const done = useSweep(({ head }) => head.doneCells)
  const total = useSweep(({ head }) => head.totalCells)
  return (
    <span className={classes.progress}>
      <Progress value={total === 0 ? 0 : (100 * done) / total} size={6} aria-label="Cells done" className={classes.bar} />
      <span className="figure">
        {countText(done)} of {countText(total)} cells
      </span>
    </span>
  )
}

/** Once a second: the estimate counts down by itself between two beats. */
function Clocks() {
  const feed = useSweepFeed()
  const now = useNow(1000)
  const head = feed.getState().value?.head
  const saidAt = useSaidAt(head?.remainingSeconds)
  if (!head) return null
  const eta = etaText(head, saidAt, Math.max(now, saidAt))
  const elapsed = elapsedText(head, now)
  return (
    <>
      {eta !== undefined && (
        <span className="figure" title="From the plan and what the cells took so far; it gets better with every cell.">
          {eta}
        </span>
      )}
      {elapsed !== undefined && <span className={`figure ${classes.quiet}`}>{elapsed} elapsed</span>}
    </>
  )
}

function Place() {
  const place = useSweep(({ head }) => head.place)
  const note = useSweep(({ head }) => head.placeNote)
  if (place === undefined) return null
  return (
    <Tooltip label={[PLACE_MEANINGS[place], note].filter(Boolean).join(' ')}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tooltip is for the keyboard too */}
      <span className={classes.place} tabIndex={0}>
        {PLACE_LABELS[place]}
        {note === undefined ? '' : ' *'}
      </span>
    </Tooltip>
  )
}

/** What is being done right now, in words. */
function Now() {
  const live = useSweep((state) => state.live)
  if (!live) return null
  const streams =
    live.activeStreams === undefined ? '' : `, ${countText(live.activeStreams)} of ${countText(live.concurrency)} decode`
  return (
    <span className={classes.now} title={live.detail ?? PHASE_MEANINGS[live.phase]}>
      <strong>
        {contextLabel(live.contextTokens)} × {countText(live.concurrency)}
      </strong>{' '}
      {PHASE_LABELS[live.phase]}
      {live.tokensPerSecond === undefined ? '' : `, ${rateText(live.tokensPerSecond)} tok/s`}
      {streams}
    </span>
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
