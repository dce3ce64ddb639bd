import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createUsageCounter } from './usage-counter.ts'

test('usage is cumulative: role chunk, several tokens, reasoning, final usage', () => {
  const counter = createUsageCounter()
  const deltas = [
    counter.add(0, false),
    counter.add(3, true),
    counter.add(5, true),
    counter.add(6, true),
    counter.add(10, true),
    counter.add(10, false),
  ]
  expect(deltas).toEqual([0, 3, 2, 1, 4, 0])
  expect(counter).toMatchObject({ outputTokens: 10, source: 'usage' })
})

test('chunks without usage count one until usage corrects them', () => {
  const counter = createUsageCounter()
  expect([counter.add(undefined, true), counter.add(undefined, true), counter.add(7, true)]).toEqual([1, 1, 5])
  expect(counter.add(5, true)).toBe(0)
  expect(counter.counted).toBe(7)
})

test('without usage the chunks are counted, and a final usage corrects the sum', () => {
  const counter = createUsageCounter()
  for (let each = 0; each < 78; each++) counter.add(undefined, true)
  expect(counter).toMatchObject({ outputTokens: 78, source: 'events' })
  expect(counter.add(235, false)).toBe(157)
  expect(counter).toMatchObject({ outputTokens: 235, source: 'events' })
})

test('never goes back and adds up', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.option(fc.nat(1000), { nil: undefined }), fc.boolean())), (steps) => {
      const counter = createUsageCounter()
      let sum = 0
      for (const [tokens, hasOutput] of steps) {
        const growth = counter.add(tokens, hasOutput)
        expect(growth).toBeGreaterThanOrEqual(0)
        sum += growth
      }
      expect(sum).toBe(counter.counted)
    }),
  )
})
