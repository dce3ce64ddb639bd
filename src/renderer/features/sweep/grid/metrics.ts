import { decimalText, fineMsText, msText, NOT_MEASURED, rateText } from '../../../../shared/format/index.ts'
import type { CellRow } from '../../../../shared/model/run.ts'
import { FIGURES } from '../../../ui/figures.ts'

export const METRIC_IDS = ['total', 'perRequest', 'ttft', 'timeBetweenTokens', 'energy'] as const
export type MetricId = (typeof METRIC_IDS)[number]

/** A figure the grid can show, and everything people need to read it. */
export interface Metric {
  id: MetricId
  label: string
  /** Unit as a screen reader should say it. */
  spoken: string
  unit: string
  definition: string
  better: 'higher' | 'lower'
  /** Names by which a flag may point at it (shared/model/cell.ts). */
  figures: readonly string[]
  read: (cell: CellRow) => number | undefined
  text: (value: number | undefined) => string
}

/** Milliseconds short enough for a cell; from 10 s on in seconds. */
export function shortMs(value: number | undefined): string {
  return value !== undefined && value >= 9999.5 ? `${decimalText(value / 1000, 1)} s` : msText(value)
}

const energyText = (value: number | undefined): string =>
  value === undefined ? NOT_MEASURED : decimalText(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.0995 ? 2 : 3)

export const METRICS: Record<MetricId, Metric> = {
  total: {
    id: 'total',
    label: 'Total tok/s',
    spoken: 'tokens per second',
    unit: 'tok/s',
    definition: FIGURES.totalTokensPerSecond.definition,
    better: 'higher',
    figures: ['totalTokensPerSecond'],
    read: (cell) => cell.totalTokensPerSecond,
    text: rateText,
  },
  perRequest: {
    id: 'perRequest',
    label: 'Per request',
    spoken: 'tokens per second and request',
    unit: 'tok/s',
    definition: FIGURES.perRequestTokensPerSecond.definition,
    better: 'higher',
    figures: ['perRequestTokensPerSecond'],
    read: (cell) => cell.perRequestTokensPerSecond,
    text: rateText,
  },
  ttft: {
    id: 'ttft',
    label: 'TTFT',
    spoken: 'milliseconds to the first token',
    unit: 'ms',
    definition: FIGURES.ttftMs.definition,
    better: 'lower',
    figures: ['ttftMs'],
    read: (cell) => cell.ttftMs,
    text: shortMs,
  },
  timeBetweenTokens: {
    id: 'timeBetweenTokens',
    label: 'Between tokens',
    spoken: 'milliseconds between tokens',
    unit: 'ms',
    definition: FIGURES.timeBetweenTokensMs.definition,
    better: 'lower',
    figures: ['timeBetweenTokensMs'],
    read: (cell) => cell.timeBetweenTokensMs,
    text: (value) => fineMsText(value),
  },
  energy: {
    id: 'energy',
    label: 'J/token',
    spoken: 'joules per output token',
    unit: 'J/token',
    definition: FIGURES.energy.definition,
    better: 'lower',
    figures: ['joulesPerOutputToken'],
    read: (cell) => cell.energy?.joulesPerOutputToken,
    text: energyText,
  },
}
