import type { RunDocument } from '../model/run.ts'
import type { CsvValue } from '../format/index.ts'
import { contextLabel, csvText } from '../format/index.ts'
import { DEMO_LABEL, isDemo } from './build.ts'
import { modelName } from './engine.ts'
import { hardwareTexts } from './hardware.ts'
import { sortedCells, sortedPrefill } from './matrix.ts'

const RUN_COLUMNS = [
  'runId',
  'runName',
  'demo',
  'host',
  'hardware',
  'model',
  'engine',
  'engineVersion',
  'quantization',
  'startedAt',
  'finishedAt',
]
const ROW_COLUMNS = [
  'phase',
  'context',
  'contextTokens',
  'concurrency',
  'status',
  'reason',
  'flags',
  'promptTokens',
  'totalTokensPerSecond',
]
const CELL_FIGURES = [
  'perRequestTokensPerSecond',
  'ttftMs',
  'timeBetweenTokensMs',
  'activeRequestsMean',
  'decodingStreamsMean',
  'completedRequests',
  'outputTokens',
  'measuredSeconds',
  'confidence95Percent',
  'confidenceSource',
  'requestSamples',
  'ttftInitialMs',
  'ttftRestartMs',
  'ttftFromLastByteMs',
  'tokenSource',
  'tokensPerEvent',
  'eventsPerSecond',
] as const
const NESTED = [
  'ttftP50Ms',
  'ttftP90Ms',
  'ttftP99Ms',
  'timeBetweenTokensP50Ms',
  'timeBetweenTokensP90Ms',
  'timeBetweenTokensP99Ms',
  'eventGapP99Ms',
  'serverDifferencePercent',
  'acceptanceLength',
  'cachedShare',
  'preemptions',
  'meanWatts',
  'joulesPerOutputToken',
  'smClockMhz',
  'temperatureC',
  'throttleReasons',
  'attempts',
  'neededTokens',
  'kvTokens',
]

/** Long form: one row for each prefill and cell, with the run's own columns in every row; figures unrounded, empty where not measured. */
export function renderCsv(run: RunDocument): string {
  const own: CsvValue[] = [
    run.id,
    run.name,
    isDemo(run) ? DEMO_LABEL : '',
    run.host?.name,
    hardwareTexts(run).title,
    modelName(run),
    run.engine?.name,
    run.engine?.version,
    run.engine?.quantization,
    run.startedAt,
    run.finishedAt,
  ]
  const flags = (row: { flags: { flag: string }[] }) => row.flags.map((flag) => flag.flag).join(' ')
  const prefill = sortedPrefill(run).map((row): CsvValue[] => [
    ...own,
    'prefill',
    contextLabel(row.contextTokens),
    row.contextTokens,
    1,
    row.status,
    row.reason,
    flags(row),
    row.promptTokens,
    row.tokensPerSecond,
    undefined,
    row.ttftMs,
    undefined,
    undefined,
    undefined,
    row.completedRequests,
    ...Array.from({ length: CELL_FIGURES.length - 6 + NESTED.length }, () => undefined),
  ])
  const cells = sortedCells(run).map((cell): CsvValue[] => [
    ...own,
    'decode',
    contextLabel(cell.contextTokens),
    cell.contextTokens,
    cell.concurrency,
    cell.status,
    cell.reason,
    flags(cell),
    cell.promptTokens,
    cell.totalTokensPerSecond,
    ...CELL_FIGURES.map((name) => cell[name]),
    cell.percentiles?.ttftMs?.p50,
    cell.percentiles?.ttftMs?.p90,
    cell.percentiles?.ttftMs?.p99,
    cell.percentiles?.timeBetweenTokensMs?.p50,
    cell.percentiles?.timeBetweenTokensMs?.p90,
    cell.percentiles?.timeBetweenTokensMs?.p99,
    cell.percentiles?.eventGapMs?.p99,
    cell.serverCheck?.differencePercent,
    cell.speculative?.acceptanceLength,
    cell.cache?.cachedShare,
    cell.cache?.preemptions,
    cell.energy?.meanWatts,
    cell.energy?.joulesPerOutputToken,
    cell.energy?.smClockMhz,
    cell.energy?.temperatureC,
    cell.energy?.throttleReasons.join(' '),
    cell.attempts === 0 ? undefined : cell.attempts,
    cell.neededTokens,
    cell.kvTokens,
  ])
  return csvText([[...RUN_COLUMNS, ...ROW_COLUMNS, ...CELL_FIGURES, ...NESTED], ...prefill, ...cells])
}
