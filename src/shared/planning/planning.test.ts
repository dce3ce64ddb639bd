import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SpeedgridError } from '../model/error.ts'
import { planSchema } from '../model/plan.ts'
import {
  coarseFirst,
  estimateRunSeconds,
  fitsTimeBudget,
  isOverCapacity,
  neededKvTokens,
  orderCells,
  planCells,
  resolveContexts,
} from './index.ts'

const K = 1024
const plan = (fields: object) => planSchema.parse({ contexts: [0], concurrency: [1], ...fields })

function refusal(run: () => unknown): SpeedgridError {
  try {
    run()
  } catch (error) {
    if (error instanceof SpeedgridError) return error
  }
  throw new Error('was not refused')
}

describe('contexts', () => {
  it('resolves max as published: 251K of a 262,144 window with 4,096 output', () => {
    expect(resolveContexts(plan({ contexts: ['max'] }), 262_144).contexts).toEqual([257_024])
  })

  it('takes a 256K prefill of a 262,144 window as 262,143, and max the same', () => {
    const resolved = resolveContexts(plan({ prefillContexts: [8 * K, 256 * K, 'max'] }), 262_144)
    expect(resolved.prefillContexts).toEqual([8 * K, 262_143])
  })

  it('refuses a decode context that cannot fit, with the numbers', () => {
    const error = refusal(() => resolveContexts(plan({ contexts: [30_000] }), 32_768))
    expect(error.code).toBe('plan')
    expect(error.message).toContain('34,096')
    expect(error.evidence).toContain('max_model_len 32,768')
    expect(error.evidence).toContain('too long by 1,328')
    expect(error.nextStep).toContain('27,648')
  })

  it('accepts a context that fits to the token and refuses one token more', () => {
    expect(resolveContexts(plan({ contexts: [28_672] }), 32_768).contexts).toEqual([28_672])
    expect(refusal(() => resolveContexts(plan({ contexts: [28_673] }), 32_768)).code).toBe('plan')
  })

  it('refuses a prefill beyond the window, and max where the server does not say its length', () => {
    expect(refusal(() => resolveContexts(plan({ prefillContexts: [64 * K] }), 32_768)).code).toBe('plan')
    expect(refusal(() => resolveContexts(plan({ contexts: ['max'] }), undefined)).code).toBe('plan')
    expect(refusal(() => resolveContexts(plan({ contexts: ['max'], maxOutputTokens: 4096 }), 4096)).code).toBe('plan')
    expect(refusal(() => resolveContexts(plan({ contexts: [0], maxOutputTokens: 4096 }), 4096)).code).toBe('plan')
  })

  it('measures a context once where max names the same one', () => {
    expect(resolveContexts(plan({ contexts: [8 * K, 257_024, 'max'] }), 262_144).contexts).toEqual([8 * K, 257_024])
  })

  it('max always fits and 1K more never does', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3000, max: 2_000_000 }),
        fc.integer({ min: 2, max: 1500 }),
        (maxModelLen, maxOutputTokens) => {
          const [context = 0] = resolveContexts({ contexts: ['max'], prefillContexts: [], maxOutputTokens }, maxModelLen).contexts
          expect(context + maxOutputTokens + 64).toBeLessThanOrEqual(maxModelLen)
          expect(context + K + maxOutputTokens + 64).toBeGreaterThan(maxModelLen)
        },
      ),
    )
  })
})

const CONTEXTS = [8, 16, 32, 64, 128, 251].map((k) => k * K)
const LEVELS = [1, 2, 4, 8, 16, 32, 64, 128]

describe('capacity', () => {
  it('splits the published grid 42 to 6 for 6,291,456 KV tokens', () => {
    const cells = planCells({ plan: plan({ concurrency: LEVELS }), contexts: CONTEXTS, kvTokens: 6_291_456 })
    const over = cells.filter((cell) => cell.verdict === 'over_capacity')
    expect(cells.filter((cell) => cell.verdict === 'run')).toHaveLength(42)
    expect(over.map((cell) => `${cell.contextTokens / K}K×${cell.concurrency}`).sort()).toEqual(
      ['64K×128', '128K×64', '128K×128', '251K×32', '251K×64', '251K×128'].sort(),
    )
    expect(over.every((cell) => cell.kvTokens === 6_291_456 && (cell.neededTokens ?? 0) > 6_291_456)).toBe(true)
    expect(over[0]?.reason).toContain('6,291,456')
  })

  it('splits it 28 to 20 for the second published matrix', () => {
    const cells = planCells({ plan: plan({ concurrency: LEVELS }), contexts: CONTEXTS, kvTokens: 1_050_000 })
    expect(cells.filter((cell) => cell.verdict === 'over_capacity')).toHaveLength(20)
  })

  it('counts a shared prompt once by the shared rule, skips nothing by none, and never skips context 0', () => {
    expect(neededKvTokens('shared', 257_024, 32, 4096)).toBe(388_096)
    expect(isOverCapacity('shared', { contextTokens: 257_024, concurrency: 32 }, 4096, 1_000_000)).toBe(false)
    expect(isOverCapacity('published', { contextTokens: 257_024, concurrency: 32 }, 4096, 1_000_000)).toBe(true)
    expect(isOverCapacity('none', { contextTokens: 257_024, concurrency: 32 }, 4096, 1000)).toBe(false)
    expect(isOverCapacity('published', { contextTokens: 0, concurrency: 128 }, 4096, 1000)).toBe(false)
    expect(isOverCapacity('published', { contextTokens: 8192, concurrency: 1 }, 4096, undefined)).toBe(false)
    expect(isOverCapacity('published', { contextTokens: 6, concurrency: 10 }, 4, 100)).toBe(false)
    expect(isOverCapacity('published', { contextTokens: 6, concurrency: 10 }, 4, 99)).toBe(true)
  })
})

describe('order', () => {
  const text = (cells: { contextTokens: number; concurrency: number }[]) =>
    cells.map((cell) => `${cell.contextTokens}/${cell.concurrency}`)

  it('goes first column, first row, then row by row', () => {
    expect(text(orderCells('published', [0, 2, 8], [1, 8, 32], 10))).toEqual([
      '0/1',
      '2/1',
      '8/1',
      '0/8',
      '0/32',
      '2/8',
      '2/32',
      '8/8',
      '8/32',
    ])
  })

  it('ascends by cost', () => {
    expect(text(orderCells('ascending', [0, 100], [1, 8], 10))).toEqual(['0/1', '0/8', '100/1', '100/8'])
  })

  it('repeats the whole grid and leaves out what is done', () => {
    const cells = planCells({
      plan: plan({ concurrency: [1, 2], repeats: 2 }),
      contexts: [0],
      kvTokens: undefined,
      done: [{ contextTokens: 0, concurrency: 2, repeat: 1 }],
    })
    expect(cells.map((cell) => [cell.concurrency, cell.repeat, cell.verdict])).toEqual([
      [1, 1, 'run'],
      [2, 1, 'done'],
      [1, 2, 'run'],
      [2, 2, 'run'],
    ])
  })

  it('takes the corners first under a time budget and loses no cell', () => {
    const cells = orderCells('published', CONTEXTS, LEVELS, 4096)
    const coarse = coarseFirst(cells, CONTEXTS, LEVELS)
    expect(text(coarse.slice(0, 4)).sort()).toEqual([`8192/1`, `257024/1`, `8192/128`, `257024/128`].sort())
    expect(text(coarse).sort()).toEqual(text(cells).sort())
  })

  it('has every cell exactly once in any order', () => {
    const list = (max: number) => fc.uniqueArray(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(
        list(300_000),
        list(512),
        fc.constantFrom('published' as const, 'ascending' as const),
        (contexts, levels, order) => {
          const all = contexts.flatMap((context) => levels.map((level) => `${context}/${level}`))
          expect(text(orderCells(order, contexts, levels, 100)).sort()).toEqual(all.sort())
          expect(text(coarseFirst(orderCells(order, contexts, levels, 100), contexts, levels)).sort()).toEqual(all.sort())
        },
      ),
    )
  })
})

describe('estimate and budget', () => {
  it('counts windows, overhead and the prefills that must be paid, and learns from what was measured', () => {
    const p = plan({ contexts: [0, 8192], concurrency: [1, 2], seconds: 10, prefillContexts: [8192], prefillSamples: 3 })
    const cells = planCells({ plan: p, contexts: [0, 8192], kvTokens: undefined })
    const known = {
      prefillSeconds: new Map([
        [8192, 2],
        [0, 0],
      ]),
      cellOverheadSeconds: 1,
    }
    expect(estimateRunSeconds({ plan: p, cells, prefillContexts: [8192], knowledge: known })).toBeCloseTo(3 + 4 * 11 + 2 + 2 * 2)
    expect(estimateRunSeconds({ plan: p, cells: [], prefillContexts: [] })).toBe(0)
    expect(estimateRunSeconds({ plan: p, cells, prefillContexts: [8192] })).toBeGreaterThan(40)
  })

  it('begins a cell only when it fits, but always the first', () => {
    expect(fitsTimeBudget({ minutes: 1, elapsedSeconds: 49, cellSeconds: 11, measuredCells: 1 })).toBe(true)
    expect(fitsTimeBudget({ minutes: 1, elapsedSeconds: 50, cellSeconds: 11, measuredCells: 1 })).toBe(false)
    expect(fitsTimeBudget({ minutes: 1, elapsedSeconds: 100, cellSeconds: 11, measuredCells: 0 })).toBe(true)
    expect(fitsTimeBudget({ minutes: undefined, elapsedSeconds: 1e9, cellSeconds: 11, measuredCells: 5 })).toBe(true)
  })
})
