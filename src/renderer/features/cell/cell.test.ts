import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../../shared/model/cell.ts'
import type { CellRow } from '../../../shared/model/run.ts'
import { cellAsMarkdown } from './cell-text.ts'
import { figureGroups, percentileRows } from './figure-rows.ts'
import { timeBetweenTokensOf, timelineOf, ttftOf } from './request-bars.ts'

const row: CellRow = {
  contextTokens: 8192,
  concurrency: 4,
  status: 'valid',
  attempts: 1,
  flags: [{ flag: 'few_samples', detail: 'medians of 2 requests', figures: ['ttftMs'] }],
  totalTokensPerSecond: 11_812.3,
  ttftMs: 1173.4,
  confidence95Percent: 0.42,
  confidenceSource: 'window',
  percentiles: { ttftMs: { p50: 1173, p90: 1200, p99: 1300 } },
  serverCheck: { serverTokens: 990, ourTokens: 1000, differencePercent: -1, seconds: 28 },
}

describe('figures of a cell', () => {
  const groups = figureGroups(row, row.flags)
  const rows = groups.flatMap((group) => group.rows)

  it('leaves out what was not measured', () => {
    expect(groups.map((group) => group.title)).toEqual(['Speed', 'Checks'])
    expect(rows.map((it) => it.label)).not.toContain('Time between tokens')
  })

  it('writes numbers as published and confidence with its source', () => {
    const text = (label: string) => rows.find((it) => it.label === label)?.text
    expect(text('Total tok/s')).toBe('11.8K')
    expect(text('TTFT')).toBe('1,173 ms')
    expect(text('Confidence')).toBe('± 0.42 %, within the window')
    expect(text('Server cross-check')).toBe('−1.00 % over 28.0 s')
  })

  it('sets a doubt beside the figure it names', () => {
    expect(rows.filter((it) => it.doubts.length > 0).map((it) => it.label)).toEqual(['TTFT'])
  })

  it('shows only percentiles that are there', () => {
    expect(percentileRows(row)).toEqual([{ label: 'TTFT', figure: 'ttftMs', p50: '1,173 ms', p90: '1,200 ms', p99: '1,300 ms' }])
  })

  it('copies as Markdown that stays text', () => {
    const text = cellAsMarkdown({ ...row, status: 'error', reason: 'HTTP 500 | <b>x</b>' })
    expect(text).toContain('**8K × 4: Error**')
    expect(text).not.toContain('<b>')
    expect(cellAsMarkdown(row)).toContain('| TTFT | 1,173 ms |')
  })
})

describe('requests', () => {
  const request = (change: Partial<RequestRecord>): RequestRecord => ({
    stream: 0,
    ordinal: 1,
    startMs: 100,
    outputTokens: 11,
    events: 11,
    completed: true,
    ...change,
  })

  it('has figures as docs/measurement.md defines them', () => {
    const done = request({ firstEventMs: 150, lastEventMs: 250, firstEventTokens: 1 })
    expect(ttftOf(done)).toBe(50)
    expect(timeBetweenTokensOf(done)).toBe(10)
    expect(timeBetweenTokensOf(request({ firstEventMs: 150, lastEventMs: 150, outputTokens: 1 }))).toBeUndefined()
    expect(ttftOf(request({}))).toBeUndefined()
  })

  it('makes a lane per stream and ends a cut request where it was last heard of', () => {
    const model = timelineOf([
      request({ stream: 3, firstEventMs: 150, lastEventMs: 400, completed: false }),
      request({ error: 'HTTP 500', endMs: 120 }),
    ])
    expect(model.streams).toEqual([0, 3])
    expect(model.bars.map((bar) => [bar.endMs, bar.failed, bar.completed])).toEqual([
      [400, false, false],
      [120, true, true],
    ])
    expect([model.fromMs, model.toMs]).toEqual([100, 400])
  })
})
