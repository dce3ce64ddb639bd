import type { CellRow, RunDocument } from '../model/run.ts'
import type { Spread } from '../model/cell.ts'
import { NOT_MEASURED, countText, decimalText, msText, percentText, rateText, secondsText } from '../format/index.ts'
import { context, requests, table } from './extra-table.ts'
import { energy, path, serverSide } from './extras-server.ts'
import { sortedCells, sortedPrefill } from './matrix.ts'
import { STATUS_LABELS } from './statuses.ts'
import type { ReportTable } from './types.ts'

const three = (spread: Spread | undefined, write: (value: number) => string) =>
  spread === undefined ? NOT_MEASURED : `${write(spread.p50)} · ${write(spread.p90)} · ${write(spread.p99)}`

const CONFIDENCE_SOURCES = {
  window: 'within the window',
  repeats: 'between repeats',
  assumed: 'assumed',
} as const

export function extraTables(run: RunDocument): ReportTable[] {
  const valid = sortedCells(run).filter((cell) => cell.status === 'valid')
  const tables = [
    confidence(valid),
    percentiles(valid),
    ttftDetail(valid),
    promptLengths(run),
    prefillDetail(run),
    serverSide(valid),
    energy(valid),
    path(valid),
    discarded(run),
  ]
  return tables.filter((it) => it !== undefined)
}

function confidence(cells: CellRow[]): ReportTable | undefined {
  return table(
    'Confidence',
    'Half-width of the 95 % interval of the total rate, in percent of it. “Within the window” comes from one-second means of one measurement; “assumed” is what runs of this kind usually differ by.',
    cells,
    [context, requests],
    [
      {
        label: 'Total tok/s',
        text: (cell) => (cell.confidence95Percent === undefined ? NOT_MEASURED : rateText(cell.totalTokensPerSecond)),
      },
      { label: '±', text: (cell) => percentText(cell.confidence95Percent) },
      {
        label: 'From',
        text: (cell) => (cell.confidenceSource === undefined ? NOT_MEASURED : CONFIDENCE_SOURCES[cell.confidenceSource]),
      },
      { label: 'Requests behind the medians', text: (cell) => countText(cell.requestSamples) },
      {
        label: 'Repeats',
        text: (cell) => (cell.repeats === undefined || cell.repeats < 2 ? NOT_MEASURED : countText(cell.repeats)),
      },
      { label: 'Attempts', text: (cell) => (cell.attempts > 1 ? countText(cell.attempts) : NOT_MEASURED) },
    ],
  )
}

function percentiles(cells: CellRow[]): ReportTable | undefined {
  return table(
    'Percentiles',
    'p50 · p90 · p99, in milliseconds. The first two over requests, the gap over single events.',
    cells,
    [context, requests],
    [
      { label: 'TTFT', text: (cell) => three(cell.percentiles?.ttftMs, (ms) => countText(ms)) },
      { label: 'Time between tokens', text: (cell) => three(cell.percentiles?.timeBetweenTokensMs, (ms) => decimalText(ms, 2)) },
      { label: 'Gap between events', text: (cell) => three(cell.percentiles?.eventGapMs, (ms) => decimalText(ms)) },
    ],
  )
}

function ttftDetail(cells: CellRow[]): ReportTable | undefined {
  return table(
    'TTFT in detail',
    'All requests start together at the beginning of a cell; later each one follows the one before. The last column leaves out the time of sending the prompt.',
    cells,
    [context, requests],
    [
      {
        label: 'TTFT',
        text: (cell) =>
          cell.ttftInitialMs === undefined && cell.ttftRestartMs === undefined ? NOT_MEASURED : msText(cell.ttftMs),
      },
      { label: 'First burst', text: (cell) => msText(cell.ttftInitialMs) },
      { label: 'Requests that followed', text: (cell) => msText(cell.ttftRestartMs) },
      { label: 'From the last byte sent', text: (cell) => msText(cell.ttftFromLastByteMs) },
    ],
  )
}

function promptLengths(run: RunDocument): ReportTable | undefined {
  const prefillOnly = sortedPrefill(run).filter((row) => !run.cells.some((cell) => cell.contextTokens === row.contextTokens))
  const contexts = [...new Set([...sortedCells(run), ...prefillOnly].map((row) => row.contextTokens))].sort((a, b) => a - b)
  const rows = contexts.map((contextTokens) => {
    const prompt = run.prompts.find((it) => it.contextTokens === contextTokens)
    const real = [...run.cells, ...run.prefill].find(
      (row) => row.contextTokens === contextTokens && row.promptTokens !== undefined,
    )
    return { contextTokens, prompt, real: real?.promptTokens }
  })
  const off = (asked: number, real: number | undefined) =>
    real === undefined || asked === 0
      ? NOT_MEASURED
      : real === asked
        ? 'exact'
        : `${real > asked ? '+' : ''}${decimalText(((real - asked) / asked) * 100, 2)} %`
  return table(
    'Real prompt lengths',
    'Tokens as the server counts them, chat template included.',
    rows,
    [context],
    [
      {
        label: 'Asked for',
        text: (row) => (row.prompt === undefined && row.real === undefined ? NOT_MEASURED : countText(row.contextTokens)),
      },
      { label: 'Counted before', text: (row) => countText(row.prompt?.countedTokens) },
      { label: 'In the requests', text: (row) => countText(row.real) },
      { label: 'Difference', text: (row) => off(row.contextTokens, row.real ?? row.prompt?.countedTokens) },
      { label: 'Method', text: (row) => row.prompt?.method ?? NOT_MEASURED },
      { label: 'Text (SHA-256)', text: (row) => row.prompt?.sha256.slice(0, 12) ?? NOT_MEASURED },
    ],
  )
}

function prefillDetail(run: RunDocument): ReportTable | undefined {
  return table(
    'Prefill in detail',
    'Cold requests of one output token. “Seen cold” says how many of them were verified to find nothing in the cache.',
    sortedPrefill(run),
    [context],
    [
      { label: 'Samples', text: (row) => (row.samples.length === 0 ? NOT_MEASURED : countText(row.samples.length)) },
      {
        label: 'Seen cold',
        text: (row) =>
          row.samples.length === 0
            ? NOT_MEASURED
            : `${String(row.samples.filter((it) => it.coldVerified).length)} of ${String(row.samples.length)}`,
      },
      { label: 'Prompt tokens', text: (row) => countText(row.promptTokens) },
      { label: 'From cache', text: (row) => countText(row.cachedTokens) },
      { label: 'Spread of TTFT', text: (row) => percentText(row.spreadPercent) },
      {
        label: 'Source',
        text: (row) =>
          row.samples.length === 0 || row.source === undefined
            ? NOT_MEASURED
            : row.source === 'scout'
              ? 'decode warm-up'
              : 'separate request',
      },
    ],
  )
}

function discarded(run: RunDocument): ReportTable | undefined {
  return table(
    'Thrown away',
    'What these cells had measured until they were given up. None of it is in any figure above.',
    sortedCells(run),
    [context, requests, { label: 'Status', text: (cell) => STATUS_LABELS[cell.status] }],
    [
      { label: 'Total tok/s', text: (cell) => rateText(cell.discarded?.totalTokensPerSecond) },
      { label: 'Output tokens', text: (cell) => countText(cell.discarded?.outputTokens) },
      { label: 'Completed requests', text: (cell) => countText(cell.discarded?.completedRequests) },
      { label: 'Measured for', text: (cell) => secondsText(cell.discarded?.measuredSeconds) },
    ],
  )
}
