import { describe, expect, it } from 'vitest'
import { validCell } from '../testing-rows.ts'
import { cellKey } from '../state/sweep-state.ts'
import { baselineNote } from './baseline.ts'
import { cellText, effectiveText, spokenCell } from './cell-text.ts'
import { cellsAsMarkdown, cellsAsTsv } from './copy-cells.ts'
import { METRICS } from './metrics.ts'
import { createScale } from './scale.ts'

describe('scale', () => {
  it('is logarithmic over a wide spread and says so', () => {
    const scale = createScale([100, 10_000])
    expect(scale?.kind).toBe('log')
    expect(scale?.position(1000)).toBeCloseTo(0.5)
    expect(scale?.value(0.5)).toBeCloseTo(1000)
  })

  it('is linear over a narrow one, and has a middle for one value alone', () => {
    expect(createScale([10, 20])?.position(15)).toBeCloseTo(0.5)
    expect(createScale([10, 20])?.kind).toBe('linear')
    expect(createScale([7])?.position(7)).toBe(0.5)
    expect(createScale([0, Number.NaN])).toBeUndefined()
  })
})

describe('cell text', () => {
  it('shows the figure over TTFT, and total under TTFT', () => {
    const cell = validCell(8192, 4, { totalTokensPerSecond: 11_812, ttftMs: 1173.4 })
    expect(cellText(cell, METRICS.total)).toEqual({ primary: '11.8K', secondary: '1,173 ms', doubts: 0 })
    expect(cellText(cell, METRICS.ttft)).toMatchObject({ primary: '1,173 ms', secondary: '11.8K' })
  })

  it('never shows a figure of a cell that is not valid', () => {
    const cell = validCell(8192, 4, { status: 'looped' })
    expect(cellText(cell, METRICS.total)).toEqual({ primary: 'Looped', secondary: '', doubts: 0 })
    const over = validCell(8192, 128, { status: 'over_capacity', neededTokens: 2_000_000, kvTokens: 800_000 })
    expect(cellText(over, METRICS.total).secondary).toBe('2.5 × KV')
  })

  it('counts only the doubts about the figure that is shown', () => {
    const cell = validCell(0, 1, { flags: [{ flag: 'few_samples', detail: '', figures: ['ttftMs'] }] })
    expect(cellText(cell, METRICS.total).doubts).toBe(0)
    expect(cellText(cell, METRICS.ttft).doubts).toBe(1)
  })

  it('says how many really ran', () => {
    const flags = [{ flag: 'not_filled' as const, detail: '' }]
    expect(effectiveText(validCell(0, 32, { flags, activeRequestsMean: 28.96 }))).toBe('(29/32)*')
    expect(effectiveText(validCell(0, 4, { flags, activeRequestsMean: 3.4 }))).toBe('(3.4/4)*')
    expect(effectiveText(validCell(0, 4, { flags }))).toBe('(?/4)*')
    expect(effectiveText(validCell(0, 4))).toBeUndefined()
  })

  it('is spoken with units and without colour', () => {
    expect(spokenCell(validCell(8192, 4), METRICS.total)).toBe(
      '8K context, 4 at once: 800.0 tokens per second, 40 ms to first token',
    )
    expect(spokenCell(validCell(8192, 4, { status: 'error', reason: 'HTTP 500' }), METRICS.total)).toBe(
      '8K context, 4 at once: Error: HTTP 500',
    )
  })
})

describe('copy', () => {
  const cells = new Map(
    [validCell(0, 1, { totalTokensPerSecond: 209.638_12 }), validCell(0, 4, { status: 'looped' }), validCell(8192, 1)].map(
      (cell) => [cellKey(cell.contextTokens, cell.concurrency), cell],
    ),
  )
  const input = {
    contexts: [0, 8192],
    columns: [1, 4],
    prefill: new Map(),
    cells,
    metric: METRICS.total,
    range: { top: 0, bottom: 1, left: 0, right: 1 },
  }

  it('gives numbers with headers to a spreadsheet', () => {
    expect(cellsAsTsv(input)).toBe('Total tok/s · context \\ at once\t1\t4\n0\t209.6381\tLooped\n8192\t200\t')
  })

  it('copies only the range', () => {
    expect(cellsAsTsv({ ...input, range: { top: 1, bottom: 1, left: 0, right: 0 } }).split('\n')).toEqual([
      'Total tok/s · context \\ at once\t1',
      '8192\t200',
    ])
  })

  it('gives people Markdown', () => {
    expect(cellsAsMarkdown(input).split('\n').at(-1)).toBe('| 8K | 200.0 / 40 ms |  |')
  })
})

describe('baseline', () => {
  const base = validCell(0, 1, { totalTokensPerSecond: 100, ttftMs: 100 })

  it('keeps a difference inside the noise uncoloured', () => {
    expect(baselineNote(validCell(0, 1, { totalTokensPerSecond: 102 }), base, METRICS.total)).toMatchObject({
      difference: '+2.0 %',
      tone: 'noise',
    })
  })

  it('knows that less TTFT is better and less throughput worse', () => {
    expect(baselineNote(validCell(0, 1, { totalTokensPerSecond: 80 }), base, METRICS.total)).toMatchObject({
      difference: '−20 %',
      tone: 'worse',
    })
    expect(baselineNote(validCell(0, 1, { ttftMs: 50 }), base, METRICS.ttft)).toMatchObject({ figure: '100 ms', tone: 'better' })
  })

  it('trusts the spread of repeats below the assumed floor, a window alone never', () => {
    const repeated = { confidence95Percent: 0.5, confidenceSource: 'repeats' as const }
    const tight = validCell(0, 1, { totalTokensPerSecond: 102, ...repeated })
    expect(baselineNote(tight, { ...base, ...repeated }, METRICS.total)?.tone).toBe('better')
    const window = { confidence95Percent: 0.5, confidenceSource: 'window' as const }
    expect(baselineNote({ ...tight, ...window }, { ...base, ...window }, METRICS.total)?.tone).toBe('noise')
  })

  it('compares nothing with what was not measured', () => {
    expect(baselineNote(validCell(0, 1), undefined, METRICS.total)).toBeUndefined()
    expect(baselineNote(validCell(0, 1), { ...base, status: 'looped' }, METRICS.total)).toBeUndefined()
  })
})
