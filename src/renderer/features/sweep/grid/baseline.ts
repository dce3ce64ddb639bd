import { decimalText } from '../../../../shared/format/index.ts'
import type { CellRow, RunDocument } from '../../../../shared/model/run.ts'
import { assumedFloorPercent, compareRates } from '../../../../shared/stats/index.ts'
import { type CellKey, cellKey } from '../state/sweep-state.ts'
import type { Metric } from './metrics.ts'

export type BaselineCells = ReadonlyMap<CellKey, CellRow>

interface BaselineNote {
  /** The baseline's own figure. */
  figure: string
  /** "+3.2 %" */
  difference: string
  tone: 'noise' | 'better' | 'worse'
  noisePercent: number
}

export const baselineCells = (run: RunDocument): BaselineCells =>
  new Map(run.cells.map((cell) => [cellKey(cell.contextTokens, cell.concurrency), cell]))

/** What stands beside a cell's figure. undefined where one of the two wasn't measured. */
export function baselineNote(cell: CellRow, base: CellRow | undefined, metric: Metric): BaselineNote | undefined {
  if (cell.status !== 'valid' || base?.status !== 'valid') return undefined
  const [now, then] = [metric.read(cell), metric.read(base)]
  if (now === undefined || then === undefined) return undefined
  const comparison = compareRates(
    { value: then, halfWidthPercent: noiseOf(base) },
    { value: now, halfWidthPercent: noiseOf(cell) },
  )
  if (!comparison) return undefined
  const { differencePercent, insideNoise, noisePercent } = comparison
  const rose = differencePercent > 0
  const better = metric.better === 'higher' ? rose : !rose
  const digits = Math.abs(differencePercent) >= 9.95 ? 0 : 1
  return {
    figure: metric.text(then),
    difference: `${rose ? '+' : differencePercent < 0 ? '−' : ''}${decimalText(Math.abs(differencePercent), digits)} %`,
    tone: insideNoise ? 'noise' : better ? 'better' : 'worse',
    noisePercent,
  }
}

/** Between runs only the spread of repeats is a measure of noise; without repeats the assumed floor counts (docs/measurement.md 4). */
function noiseOf(cell: CellRow): number {
  const floor = assumedFloorPercent(cell.speculative !== undefined)
  const own = cell.confidence95Percent
  if (own === undefined) return floor
  return cell.confidenceSource === 'repeats' ? own : Math.max(own, floor)
}
