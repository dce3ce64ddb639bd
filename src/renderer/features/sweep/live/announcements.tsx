import { useEffect, useState } from 'react'
import { spokenCell } from '../grid/cell-text.ts'
import { METRICS } from '../grid/metrics.ts'
import { useSweepFeed } from '../state/sweep-feed.ts'
import type { SweepState } from '../state/sweep-state.ts'
import { createAnnouncer } from './announcer.ts'
import { STATE_LABELS } from './head-text.ts'

/** Says to a screen reader what the eye sees happen, at most every few seconds. */
export function Announcements() {
  const feed = useSweepFeed()
  const [text, setText] = useState('')
  useEffect(() => {
    const announcer = createAnnouncer(setText)
    let before = feed.getState().value
    const leave = feed.subscribe(({ value }) => {
      if (value && before && value !== before) for (const news of newsOf(before, value)) announcer.add(news)
      before = value
    })
    return () => {
      leave()
      announcer.dispose()
    }
  }, [feed])
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  )
}

/** What happened between two states: finished cells, a new state of the run. */
function newsOf(before: SweepState, now: SweepState): string[] {
  const news: string[] = []
  if (before.cells !== now.cells)
    for (const [key, cell] of now.cells) {
      const was = before.cells.get(key)
      if (
        was === cell ||
        cell.status === 'pending' ||
        (was !== undefined && was.status === cell.status && was.attempts === cell.attempts)
      )
        continue
      news.push(`${spokenCell(cell, METRICS.total)}; ${now.head.doneCells} of ${now.head.totalCells} cells`)
    }
  if (before.head.state !== now.head.state) news.push(`The sweep is ${STATE_LABELS[now.head.state].toLowerCase()}`)
  return news
}
