import { Badge, Tabs } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useSweep } from '../state/sweep-feed.ts'
import type { Baseline } from './use-baseline.ts'
import { EventLog } from './event-log.tsx'
import classes from './live.module.css'
import { SideCell } from './side-cell.tsx'

/** A cell of the grid; without a concurrency the prefill of that context. */
export interface OpenCell {
  contextTokens: number
  concurrency?: number | undefined
}

interface SidePanelProps {
  open: OpenCell | undefined
  baseline: Baseline | undefined
  /** The cell was asked for by keyboard: its details take the focus as soon as they are there. */
  takesFocus: boolean
  onFocusTaken: () => void
  /** Back to the grid. */
  onLeave: () => void
}

function Troubles({ count }: { count: number }) {
  return (
    <Badge size="sm" color="yellow" aria-label={`${count} warnings and errors`}>
      {count}
    </Badge>
  )
}

type Tab = 'cell' | 'events'

/** Beside the grid: the cell somebody asked for, and what happens. */
export function SidePanel({ open, baseline, takesFocus, onFocusTaken, onLeave }: SidePanelProps) {
  const [tab, setTab] = useState<Tab>('events')
  const troubles = useSweep(({ events }) => events.reduce((sum, event) => sum + (event.level === 'info' ? 0 : 1), 0))
  useEffect(() => {
    setTab(open === undefined ? 'events' : 'cell')
  }, [open])
  const details = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // A panel that isn't the shown one can't take it: the tab changes first.
    if (!takesFocus || tab !== 'cell') return
    details.current?.focus()
    onFocusTaken()
  }, [takesFocus, onFocusTaken, tab])
  return (
    <aside
      className={classes.side}
      aria-label="Cell and events"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        onLeave()
      }}
    >
      <Tabs value={tab} onChange={(value) => setTab(value === 'cell' ? 'cell' : 'events')} className={classes.tabs ?? ''}>
        <Tabs.List>
          <Tabs.Tab value="events" rightSection={troubles > 0 && <Troubles count={troubles} />}>
            Events
          </Tabs.Tab>
          <Tabs.Tab value="cell">Cell</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="events" className={classes.tabPanel ?? ''}>
          <EventLog />
        </Tabs.Panel>
        <Tabs.Panel value="cell" className={classes.tabPanel ?? ''}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- takes the focus from the grid and scrolls by keyboard */}
          <div ref={details} className={classes.cellScroll} tabIndex={0} role="region" aria-label="Cell details">
            <SideCell open={open} baseline={baseline} />
          </div>
        </Tabs.Panel>
      </Tabs>
    </aside>
  )
}
