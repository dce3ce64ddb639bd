import { expect, it } from 'vitest'
import { createEventLog } from '../event-log.ts'
import { edgeDoubtPercent } from './edge-doubt.ts'
import { madeSinceUs } from './window-tokens.ts'

/** One stream, ten tokens an event each 10 ms for a second; nothing arrived from `fromMs` to `toMs`, and then all of it. */
function doubt(fromMs: number, toMs: number, edgesMs: number[]) {
  const log = createEventLog(0)
  for (let time = 10; time <= 1000; time += 10)
    if (time <= fromMs || time > toMs) log.add(0, time, 10)
    else if (time === toMs) for (let held = fromMs + 10; held <= toMs; held += 10) log.add(0, toMs, 10)
  const columns = log.columns()
  return edgeDoubtPercent({
    columns,
    weights: [1],
    sincesUs: madeSinceUs(columns, 1),
    edgesUs: edgesMs.map((edge) => edge * 1000),
    medianGapUs: 10_000,
    tokens: 1000,
  })
}

it('is none where events come as they usually do, or where an edge is not in a gap', () => {
  expect(doubt(0, 0, [105, 905])).toBe(0)
  expect(doubt(400, 600, [105, 905])).toBe(0)
  // The edge is on the first event after the gap: all of the gap lies before it.
  expect(doubt(100, 300, [300, 905])).toBe(0)
})

it('is what was made in a gap, most where the edge is in its middle', () => {
  expect(doubt(100, 300, [200, 905])).toBeCloseTo(10, 6)
  expect(doubt(100, 300, [120, 905])).toBeCloseTo(2, 6)
  expect(doubt(800, 950, [105, 875])).toBeCloseTo(7.5, 6)
})
