import type { CellFigures } from '../model/cell.ts'
import type { CellRow } from '../model/run.ts'
import { NOT_MEASURED, countText, decimalText, fineMsText, percentText } from '../format/index.ts'
import { context, requests, table } from './extra-table.ts'
import type { ReportTable } from './types.ts'

export function serverSide(cells: CellRow[]): ReportTable | undefined {
  return table(
    'Server side',
    'What the counters of the server say about the same window. The check compares its own count of generated tokens with ours.',
    cells,
    [context, requests],
    [
      { label: 'Streams decoding', text: (cell) => decimalText(cell.decodingStreamsMean) },
      {
        label: 'Check against server',
        text: (cell) =>
          cell.serverCheck === undefined
            ? NOT_MEASURED
            : `${cell.serverCheck.differencePercent > 0 ? '+' : ''}${decimalText(cell.serverCheck.differencePercent, 2)} %`,
      },
      {
        label: 'Prompt from cache',
        text: (cell) => (cell.cache?.cachedShare === undefined ? NOT_MEASURED : `${decimalText(cell.cache.cachedShare * 100)} %`),
      },
      { label: 'Preemptions', text: (cell) => countText(cell.cache?.preemptions) },
      { label: 'Tokens per draft step', text: (cell) => decimalText(cell.speculative?.acceptanceLength, 2) },
      { label: 'Drafts accepted', text: (cell) => acceptedShare(cell) },
      { label: 'Draft steps/s', text: (cell) => decimalText(cell.speculative?.stepsPerSecond) },
    ],
  )
}

function acceptedShare(cell: CellFigures): string {
  const { speculative } = cell
  return speculative === undefined || speculative.draftTokens <= 0
    ? NOT_MEASURED
    : percentText((speculative.acceptedTokens / speculative.draftTokens) * 100)
}

export function energy(cells: CellRow[]): ReportTable | undefined {
  return table(
    'Power, clocks and temperature',
    'The GPUs of this server together, from samples inside the window.',
    cells,
    [context, requests],
    [
      {
        label: 'Mean power',
        text: (cell) => (cell.energy === undefined ? NOT_MEASURED : `${countText(cell.energy.meanWatts)} W`),
      },
      {
        label: 'Energy per output token',
        text: (cell) =>
          cell.energy?.joulesPerOutputToken === undefined
            ? NOT_MEASURED
            : `${decimalText(cell.energy.joulesPerOutputToken, cell.energy.joulesPerOutputToken < 1 ? 3 : 2)} J`,
      },
      {
        label: 'SM clock',
        text: (cell) => (cell.energy?.smClockMhz === undefined ? NOT_MEASURED : `${countText(cell.energy.smClockMhz)} MHz`),
      },
      {
        label: 'Temperature',
        text: (cell) => (cell.energy?.temperatureC === undefined ? NOT_MEASURED : `${countText(cell.energy.temperatureC)} °C`),
      },
      {
        label: 'Held back by',
        text: (cell) =>
          cell.energy === undefined
            ? NOT_MEASURED
            : cell.energy.throttleReasons.length === 0
              ? 'nothing'
              : cell.energy.throttleReasons.join(', '),
      },
      { label: 'Samples', text: (cell) => countText(cell.energy?.samples) },
    ],
  )
}

export function path(cells: CellRow[]): ReportTable | undefined {
  return table(
    'The measuring program',
    'How late it was itself (p99), how much of a core it used, and how many stream events it took in.',
    cells,
    [context, requests],
    [
      { label: 'Lateness p99', text: (cell) => fineMsText(cell.path?.latenessP99Ms, 2) },
      { label: 'Loop delay p99', text: (cell) => fineMsText(cell.path?.loopDelayP99Ms, 2) },
      {
        label: 'CPU',
        text: (cell) => (cell.path?.cpuShare === undefined ? NOT_MEASURED : percentText(cell.path.cpuShare * 100)),
      },
      { label: 'Events', text: (cell) => countText(cell.path?.events) },
    ],
  )
}
