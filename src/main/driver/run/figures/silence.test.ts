import { describe, expect, it } from 'vitest'
import { longestSilence } from './silence.ts'
import { columns, request } from './test-attempt.ts'

describe('a server that stood still', () => {
  const WINDOW = { openUs: 1_000_000, closeUs: 11_000_000, medianGapUs: 20_000, originMs: 0 }
  // Two streams with an event each 20 ms from 500 ms on, except where nothing came.
  const events = (silentFromMs: number, silentToMs: number, delivered: 'never' | 'late' = 'never') => {
    const list: [number, number, number][] = []
    for (let time = 500; time <= 11_500; time += 20) {
      const silent = time > silentFromMs && time < silentToMs
      if (silent && delivered === 'never') continue
      for (const stream of [0, 1]) list.push([silent ? silentToMs : time, 1, stream])
    }
    return columns(list.sort((a, b) => a[0] - b[0]))
  }
  const both = [0, 1].map((stream) => request({ stream, startMs: 400, firstEventMs: 500, outputTokens: 1 }))
  const silence = (log: ReturnType<typeof columns>, requests = both) => longestSilence({ ...WINDOW, columns: log, requests })

  it.each([
    ['at its beginning', 1000, 1400, 0],
    ['in its middle', 5000, 8000, 4],
    ['before its end', 10_600, 10_990, 9.6],
    ['at its end', 10_850, 20_000, 9.84],
  ])('is seen %s', (_where, fromMs, toMs, afterSeconds) => {
    const found = silence(events(fromMs, toMs))
    expect(found?.afterSeconds).toBeCloseTo(afterSeconds, 1)
    expect(found?.seconds).toBeGreaterThan(0.14)
  })

  it('is not seen where there was none, or a short one', () => {
    expect(silence(events(0, 0))).toBeUndefined()
    expect(silence(events(5000, 5150))).toBeUndefined()
  })

  it('is told from a reader or a way that stood still: then all of it comes at once', () => {
    expect(silence(events(5000, 8000, 'late'))).toBeUndefined()
    expect(silence(events(10_850, 11_200, 'late'))).toBeUndefined()
  })

  it('is told from a prefill that takes as long as others do', () => {
    const prefill = (firstEventMs: number) => [
      ...both.map((one) => ({ ...one, result: { ...one.result, startMs: 0 } })),
      request({ stream: 2, startMs: 5000, firstEventMs, outputTokens: 1 }),
    ]
    expect(silence(events(5000, 5500), prefill(5500))).toBeUndefined()
    expect(silence(events(5000, 8000), prefill(8000))?.seconds).toBeCloseTo(3, 1)
  })
})
