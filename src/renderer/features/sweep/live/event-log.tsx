import { useVirtualizer } from '@tanstack/react-virtual'
import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { exactTime } from '../../../ui/time-text.tsx'
import { useSweep } from '../state/sweep-feed.ts'
import classes from './event-log.module.css'

const ICONS = { info: Info, warn: TriangleAlert, error: CircleAlert }
const WORDS = { info: 'Information', warn: 'Warning', error: 'Error' }
/** Scrolled away by more than this, it stays where the person reads. */
const NEAR_END_PX = 24

/** What was said, newest at the bottom. It follows the end unless somebody scrolled away from it. */
export function EventLog() {
  const events = useSweep((state) => state.events)
  const dropped = useSweep((state) => state.eventsDropped)
  const frame = useRef<HTMLDivElement>(null)
  const [follows, setFollows] = useState(true)
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 22,
    overscan: 12,
    getItemKey: (index) => dropped + index,
  })
  useEffect(() => {
    if (follows && events.length > 0) rows.scrollToIndex(events.length - 1, { align: 'end' })
  }, [follows, events, rows])
  const onScroll = () => {
    const element = frame.current
    if (element) setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX)
  }
  if (events.length === 0)
    return <p className={classes.empty}>Nothing has been said yet. What the driver notices, warns of or gives up stands here.</p>
  return (
    <div className={classes.log}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scroll area must be reachable by keyboard */}
      <div className={classes.frame} ref={frame} onScroll={onScroll} tabIndex={0} role="log" aria-label="Events" aria-live="off">
        <div className={classes.room} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((item) => {
            const event = events[item.index]
            if (!event) return null
            const Icon = ICONS[event.level]
            return (
              <div
                key={item.key}
                ref={rows.measureElement}
                data-index={item.index}
                data-level={event.level}
                className={classes.event}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <time dateTime={event.at} title={exactTime(new Date(event.at))}>
                  {timeOfDay(event.at)}
                </time>
                <Icon size={13} aria-label={WORDS[event.level]} />
                <span className={classes.text}>{event.text}</span>
              </div>
            )
          })}
        </div>
      </div>
      {!follows && (
        <Button className={classes.follow ?? ''} size="compact-sm" variant="default" onClick={() => setFollows(true)}>
          To the newest
        </Button>
      )}
    </div>
  )
}

function timeOfDay(at: string): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}
