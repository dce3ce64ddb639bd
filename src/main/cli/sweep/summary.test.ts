import { expect, it } from 'vitest'
import { planSchema } from '../../../shared/model/plan.ts'
import type { CellRow, RunDocument } from '../../../shared/model/run.ts'
import { createStyle } from '../live/style.ts'
import { summaryText } from './summary.ts'

function runOf(levels: number[], change: (level: number) => Partial<CellRow> = () => ({})): RunDocument {
  const cells = levels.map(
    (concurrency): CellRow => ({
      contextTokens: 8192,
      concurrency,
      status: 'valid',
      flags: [],
      attempts: 1,
      totalTokensPerSecond: 100 * concurrency,
      ttftMs: 80,
      ...change(concurrency),
    }),
  )
  return {
    schema: 'speedgrid.run/1',
    id: 'r1',
    name: 'n',
    tags: [],
    state: 'finished',
    demo: true,
    plan: planSchema.parse({ contexts: [8192], concurrency: levels }),
    path: { driver: 'local' },
    prompts: [],
    prefill: [{ contextTokens: 8192, status: 'valid', flags: [], samples: [], ttftMs: 110, tokensPerSecond: 74_000 }],
    cells,
    events: [],
    timing: { wallSeconds: 65, windowSeconds: 60, prefillSeconds: 1 },
  }
}

it('shows every column of a wide grid, and the prefill once', () => {
  const levels = Array.from({ length: 16 }, (_, index) => index + 1)
  const text = summaryText(runOf(levels), { columns: 60, style: createStyle(false) })
  for (const level of levels) expect(text).toContain(` ${level * 100}.0`.replace(/(\d)(\d{3})\./, '$1,$2.'))
  expect(text.match(/prefill/g)).toHaveLength(1)
  expect(text).not.toContain('more ›')
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(64)
  expect(text).toContain('finished: 16 of 16 cells valid in 1 min 05 s')
  expect(text).toContain('DEMO')
})

it('gives the reason of every error and doubt, and lets no log line steer the terminal', () => {
  const text = summaryText(
    runOf([1, 2, 3], (level) =>
      level === 1
        ? { status: 'error', reason: 'HTTP 500', logLines: ['\u001b[2Jboom'] }
        : level === 2
          ? { flags: [{ flag: 'drifting', detail: 'slower by 4 %' }] }
          : {},
    ),
    { columns: 80, style: createStyle(true) },
  )
  expect(text).toContain('✗ 8K × 1: HTTP 500')
  expect(text).toContain('boom')
  expect(text).not.toContain('\u001b[2J')
  expect(text).toContain('* 8K × 2: drifting (slower by 4 %)')
  expect(text).toContain('2 of 3 cells valid, 1 error')
})
