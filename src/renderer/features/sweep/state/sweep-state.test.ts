import { describe, expect, it } from 'vitest'
import { EVENTS_KEPT } from '../../../../shared/run/index.ts'
import { sweepView, validCell } from '../testing-rows.ts'
import { applySweepChange, ascending, cellKey, sweepStateOf } from './sweep-state.ts'

describe('sweep state', () => {
  const start = sweepStateOf(sweepView({ cells: [validCell(0, 1), validCell(0, 4)] }))

  it('shows rows and columns ascending, whatever the plan says', () => {
    expect(ascending(start.head.contexts)).toEqual([0, 8192])
    expect(ascending(start.head.concurrency)).toEqual([1, 4])
  })

  it('replaces one cell and keeps the identity of every other', () => {
    const next = applySweepChange(start, { cells: [validCell(0, 4, { status: 'error', reason: 'HTTP 500' })] })
    expect(next.cells.get(cellKey(0, 4))?.status).toBe('error')
    expect(next.cells.get(cellKey(0, 1))).toBe(start.cells.get(cellKey(0, 1)))
    expect(next.head).toBe(start.head)
    expect(next.events).toBe(start.events)
  })

  it('takes null as nothing being measured, and absence as no change', () => {
    const live = { contextTokens: 0, concurrency: 1, repeat: 1, attempt: 1, phase: 'window' as const, recentRates: [1] }
    const running = applySweepChange(start, { live })
    expect(applySweepChange(running, { head: { doneCells: 1 } }).live).toBe(live)
    expect(applySweepChange(running, { live: null }).live).toBeUndefined()
  })

  it('keeps ten minutes of telemetry and the last events, and counts what it dropped', () => {
    const points = [0, 300_000, 700_000].map((t) => ({ t }))
    expect(applySweepChange(start, { telemetry: points }).telemetry.map((point) => point.t)).toEqual([300_000, 700_000])
    const events = Array.from({ length: EVENTS_KEPT + 3 }, (_, index) => ({
      at: '2026-01-01T00:00:00.000Z',
      level: 'info' as const,
      text: String(index),
    }))
    const next = applySweepChange(start, { events })
    expect(next.events).toHaveLength(EVENTS_KEPT)
    expect(next.events[0]?.text).toBe('3')
    expect(next.eventsDropped).toBe(3)
  })
})
