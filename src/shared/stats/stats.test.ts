import * as fc from 'fast-check'
import { linearRegression, mean as meanOracle, sampleStandardDeviation } from 'simple-statistics'
import { describe, expect, it } from 'vitest'
import {
  assumedFloorPercent,
  batchMeans,
  compareRates,
  driftTest,
  mean,
  median,
  quantile,
  spreadOf,
  spreadOfRepeats,
  studentTCdf,
  studentTQuantile,
  timeWeightedMean,
} from './index.ts'

const values = fc.array(fc.double({ min: 0.1, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 60 })
const threeOrMore = values.filter((list) => list.length >= 3)

describe('quantile', () => {
  it('interpolates linearly on (n − 1) p', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5)
    expect(quantile([10, 20], 0.9)).toBeCloseTo(19)
    expect(quantile([7], 0.99)).toBe(7)
    expect(quantile([], 0.5)).toBeUndefined()
    expect(spreadOf([1, 2, 3])).toEqual({ p50: 2, p90: 2.8, p99: 2.98 })
    expect(spreadOf([])).toBeUndefined()
  })

  it('stays inside the values, rises with p and does not care about order', () => {
    fc.assert(
      fc.property(
        values,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (list, p, q) => {
          const [low, high] = [quantile(list, Math.min(p, q)) ?? Number.NaN, quantile(list, Math.max(p, q)) ?? Number.NaN]
          expect(low).toBeLessThanOrEqual(high)
          expect(low).toBeGreaterThanOrEqual(Math.min(...list))
          expect(high).toBeLessThanOrEqual(Math.max(...list))
          expect(quantile(list.toReversed(), p)).toBe(quantile(list, p))
        },
      ),
    )
  })

  it('leaves the input as it was', () => {
    const list = [3, 1, 2]
    expect(median(list)).toBe(2)
    expect(list).toEqual([3, 1, 2])
  })
})

describe("Student's t", () => {
  it('agrees with the printed tables', () => {
    const table: [number, number, number][] = [
      [0.975, 1, 12.7062],
      [0.975, 2, 4.30265],
      [0.975, 9, 2.26216],
      [0.975, 29, 2.04523],
      [0.975, 1000, 1.96234],
      [0.995, 9, 3.24984],
      [0.95, 5, 2.01505],
    ]
    for (const [p, freedom, t] of table) expect(studentTQuantile(p, freedom)).toBeCloseTo(t, 3)
  })

  it('is symmetric and its own inverse', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), fc.integer({ min: 1, max: 300 }), (p, freedom) => {
        const t = studentTQuantile(p, freedom)
        expect(studentTCdf(t, freedom)).toBeCloseTo(p, 8)
        expect(studentTCdf(t, freedom) + studentTCdf(-t, freedom)).toBeCloseTo(1, 10)
      }),
    )
  })
})

describe('confidence', () => {
  it('agrees with the oracle', () => {
    fc.assert(
      fc.property(threeOrMore, (list) => {
        const result = batchMeans(list)
        const half = (studentTQuantile(0.975, list.length - 1) * sampleStandardDeviation(list)) / Math.sqrt(list.length)
        expect(result?.mean).toBeCloseTo(meanOracle(list), 3)
        expect(mean(list)).toBeCloseTo(meanOracle(list), 3)
        expect(result?.halfWidth ?? Number.NaN).toBeCloseTo(half, 3)
        expect(result?.percent ?? Number.NaN).toBeCloseTo((100 * half) / meanOracle(list), 3)
      }),
    )
  })

  it('says nothing from one value, from two seconds or from silence', () => {
    expect(batchMeans([5])).toBeUndefined()
    expect(batchMeans([99, 101])).toBeUndefined()
    expect(batchMeans([0, 0, 0])).toBeUndefined()
    expect(spreadOfRepeats([100, 100])).toMatchObject({ mean: 100, halfWidth: 0 })
    expect([assumedFloorPercent(false), assumedFloorPercent(true)]).toEqual([3, 10])
  })

  it('covers the true mean about 95 times in 100', () => {
    let covered = 0
    let state = 12_345
    const uniform = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return (state + 0.5) / 4_294_967_296
    }
    for (let trial = 0; trial < 2000; trial += 1) {
      const list = Array.from(
        { length: 10 },
        () => 100 + 5 * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
      )
      const result = batchMeans(list)
      if (result && Math.abs(result.mean - 100) <= result.halfWidth) covered += 1
    }
    expect(covered / 2000).toBeGreaterThan(0.93)
    expect(covered / 2000).toBeLessThan(0.97)
  })
})

describe('drift', () => {
  it('sees a slope and not noise', () => {
    expect(driftTest([100, 99, 98, 97, 96, 95, 94, 93, 92, 91])?.drifting).toBe(true)
    expect(driftTest([100, 104, 97, 101, 99, 103, 96, 100, 102, 98])?.drifting).toBe(false)
    expect(driftTest([100, 100.1, 100.2, 100.3, 100.4, 100.5, 100.6])?.drifting).toBe(false)
    expect(driftTest([1, 2, 3])).toBeUndefined()
    expect(driftTest([50, 50, 50, 50, 50, 50])).toMatchObject({ changePercent: 0, drifting: false })
  })

  it('fits the same line as the oracle', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1, max: 1000, noNaN: true }), { minLength: 6, maxLength: 40 }), (list) => {
        const { m } = linearRegression(list.map((value, index) => [index, value]))
        expect(driftTest(list)?.changePercent ?? Number.NaN).toBeCloseTo((100 * m * (list.length - 1)) / meanOracle(list), 5)
      }),
    )
  })
})

describe('time-weighted mean and comparison', () => {
  it('weighs by overlap', () => {
    expect(
      timeWeightedMean(
        [
          [0, 10],
          [5, 15],
          [20, 30],
        ],
        0,
        20,
      ),
    ).toBe(1)
    expect(timeWeightedMean([[-100, 100]], 0, 10)).toBe(1)
    expect(timeWeightedMean([[0, 1]], 5, 5)).toBe(0)
  })

  it('calls a difference noise only inside both half-widths together', () => {
    const a = { value: 100, halfWidthPercent: 3 }
    expect(compareRates(a, { value: 104, halfWidthPercent: 3 })).toMatchObject({ differencePercent: 4, insideNoise: true })
    expect(compareRates(a, { value: 106, halfWidthPercent: 3 })?.insideNoise).toBe(false)
    expect(compareRates(a, { value: 94, halfWidthPercent: 3 })?.insideNoise).toBe(false)
    expect(compareRates({ value: 0, halfWidthPercent: 3 }, a)).toBeUndefined()
  })
})
