import type { CellRow, PrefillRow, RunDocument } from '../model/run.ts'
import {
  NOT_MEASURED,
  contextLabel,
  countText,
  decimalText,
  fineMsText,
  msText,
  rateText,
  secondsText,
  totalText,
} from '../format/index.ts'
import { sortedCells, sortedPrefill } from './matrix.ts'
import { STATUS_LABELS } from './statuses.ts'
import type { ReportTable } from './types.ts'

const COLUMNS: [string, boolean][] = [
  ['Phase', false],
  ['Context', true],
  ['Requests at once', true],
  ['Status', false],
  ['Total tok/s', true],
  ['Per request tok/s', true],
  ['TTFT', true],
  ['Time between tokens', true],
  ['Average active requests', true],
  ['Completed requests', true],
  ['Output tokens', true],
  ['Measured for', true],
]

/** The published table: prefills, then cells, twelve columns. */
export function measurementsTable(run: RunDocument): ReportTable {
  return {
    title: 'All measurements',
    columns: COLUMNS.map(([label, numeric]) => ({ label, numeric })),
    rows: [...sortedPrefill(run).map(prefillTexts), ...sortedCells(run).map(cellTexts)],
    marked: [...sortedPrefill(run).map(() => []), ...sortedCells(run).map(fewMarks)],
  }
}

function prefillTexts(row: PrefillRow): string[] {
  const valid = row.status === 'valid'
  const completed = row.completedRequests ?? (row.samples.length > 0 ? row.samples.length : undefined)
  return [
    'Prefill',
    contextLabel(row.contextTokens),
    '1',
    STATUS_LABELS[row.status],
    valid ? rateText(row.tokensPerSecond) : NOT_MEASURED,
    NOT_MEASURED,
    valid ? msText(row.ttftMs) : NOT_MEASURED,
    NOT_MEASURED,
    NOT_MEASURED,
    countText(completed),
    NOT_MEASURED,
    NOT_MEASURED,
  ]
}

function cellTexts(cell: CellRow): string[] {
  return [
    'Sustained decode',
    contextLabel(cell.contextTokens),
    countText(cell.concurrency),
    STATUS_LABELS[cell.status],
    totalText(cell),
    decimalText(cell.perRequestTokensPerSecond),
    msText(cell.ttftMs),
    fineMsText(cell.timeBetweenTokensMs),
    decimalText(cell.activeRequestsMean ?? cell.decodingStreamsMean),
    countText(cell.completedRequests),
    countText(cell.outputTokens),
    secondsText(cell.measuredSeconds),
  ]
}

const MEDIANS = new Map([
  ['perRequestTokensPerSecond', 5],
  ['ttftMs', 6],
  ['timeBetweenTokensMs', 7],
])

function fewMarks(cell: CellRow): boolean[] {
  const marks = COLUMNS.map(() => false)
  for (const flag of cell.flags.filter((it) => it.flag === 'few_samples')) {
    for (const figure of flag.figures ?? [...MEDIANS.keys()]) {
      const column = MEDIANS.get(figure)
      if (column !== undefined) marks[column] = true
    }
  }
  return marks
}
