import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sweepView } from '../testing-rows.ts'
import { sweepStateOf } from '../state/sweep-state.ts'
import { ANNOUNCE_EVERY_MS, createAnnouncer } from './announcer.ts'
import { elapsedSeconds, etaText } from './head-text.ts'

describe('announcer', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('speaks at once, then at most every few seconds, with the latest and a count', () => {
    const said: string[] = []
    const announcer = createAnnouncer((text) => said.push(text))
    announcer.add('a')
    announcer.add('b')
    announcer.add('c')
    expect(said).toEqual(['a'])
    vi.advanceTimersByTime(ANNOUNCE_EVERY_MS)
    expect(said).toEqual(['a', 'c; 1 more before it'])
    vi.advanceTimersByTime(10 * ANNOUNCE_EVERY_MS)
    announcer.add('d')
    expect(said.at(-1)).toBe('d')
    announcer.add('e')
    announcer.dispose()
    vi.advanceTimersByTime(10 * ANNOUNCE_EVERY_MS)
    expect(said).toHaveLength(3)
  })
})

describe('head', () => {
  const head = (change: Parameters<typeof sweepView>[0]) => sweepStateOf(sweepView(change)).head

  it('counts the estimate down while it runs, and holds it while paused', () => {
    expect(etaText(head({ remainingSeconds: 100 }), 0, 40_000)).toBe('about 1 min 00 s left')
    expect(etaText(head({ remainingSeconds: 100, state: 'paused' }), 0, 40_000)).toBe('about 1 min 40 s left')
    expect(etaText(head({ remainingSeconds: 3 }), 0, 60_000)).toBe('about to finish')
    expect(etaText(head({ remainingSeconds: 3, state: 'finished' }), 0, 0)).toBeUndefined()
  })

  it('stops the clock at the end', () => {
    const startedAt = '2026-01-01T00:00:00.000Z'
    const finishedAt = '2026-01-01T00:10:00.000Z'
    const now = Date.parse('2026-01-01T01:00:00.000Z')
    expect(elapsedSeconds(head({ startedAt, finishedAt, state: 'finished' }), now)).toBe(600)
    expect(elapsedSeconds(head({ startedAt }), now)).toBe(3600)
  })
})
