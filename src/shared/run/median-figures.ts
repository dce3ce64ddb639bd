import type { CellFigures } from '../model/cell.ts'
import { median } from '../stats/index.ts'

/** Counts stay whole: half a request is no median of two. */
const COUNTS = new Set(['completedRequests', 'outputTokens', 'requestSamples', 'gpuCount', 'samples', 'events'])

/** Figure by figure the median over repeats; a figure only some repeats have is the median of those. */
export function medianFigures(repeats: CellFigures[]): CellFigures {
  if (repeats.length === 1 && repeats[0] !== undefined) return repeats[0]
  return medianObject(repeats)
}

function medianObject(objects: Record<string, unknown>[]): Record<string, unknown> {
  const names = new Set(objects.flatMap((object) => Object.keys(object)))
  const result: Record<string, unknown> = {}
  for (const name of names) {
    const values = objects.map((object) => object[name]).filter((value) => value !== undefined)
    result[name] = medianValue(name, values)
  }
  return result
}

function medianValue(name: string, values: unknown[]): unknown {
  if (values.every((value) => typeof value === 'number')) {
    const middle = median(values)
    return middle !== undefined && COUNTS.has(name) ? Math.round(middle) : middle
  }
  if (values.every((value) => Array.isArray(value))) return [...new Set(values.flat() as unknown[])]
  if (values.every((value) => typeof value === 'object' && value !== null))
    return medianObject(values as Record<string, unknown>[])
  return values.at(-1)
}
