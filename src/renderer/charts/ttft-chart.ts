import { contextLabel, countText, msText } from '../../shared/format/index.ts'
import type { CellRow, PrefillRow } from '../../shared/model/run.ts'
import type { ChartModel } from './chart-model.ts'
import { axisLook, baseOption, CHART_COLORS, seriesLook, valueAxisLook } from './chart-theme.ts'
import { ascending, isMeasured, levelsOf } from './rows.ts'

const COLD = 'Cold prefill'

/** TTFT against context, a line per number of requests, with the cold prefill above them: what does a cache hit save? */
export function ttftChart(cells: readonly CellRow[], prefill: readonly PrefillRow[]): ChartModel {
  const valid = cells.filter((cell) => isMeasured(cell, cell.ttftMs))
  const cold = prefill.filter((row) => row.status === 'valid' && row.ttftMs !== undefined)
  const contexts = ascending([...valid, ...cold].map((row) => row.contextTokens))
  const levels = levelsOf(valid)
  const at = (context: number, level: number) =>
    valid.find((cell) => cell.contextTokens === context && cell.concurrency === level)?.ttftMs
  const coldAt = (context: number) => cold.find((row) => row.contextTokens === context)?.ttftMs
  const format = (value: unknown) => (typeof value === 'number' ? msText(value) : '—')
  return {
    title: 'Time to first token against context',
    description: `Median time to first token against context, one line for each of ${levels.length} numbers of requests, and the cold prefill.`,
    hasData: valid.length + cold.length > 0,
    option: (theme) => ({
      ...baseOption(theme, 'Median time to first token against context, one line per number of requests, logarithmic.'),
      xAxis: {
        type: 'category',
        data: contexts.map(contextLabel),
        ...axisLook(theme, 'context'),
        nameLocation: 'middle',
        nameTextStyle: { align: 'center' },
        nameGap: 26,
      },
      yAxis: { type: 'log', ...valueAxisLook(theme, 'ms, log', countText) },
      series: [
        ...levels.map((level, index) => ({
          type: 'line' as const,
          name: `× ${countText(level)}`,
          ...seriesLook(theme, index),
          connectNulls: true,
          data: contexts.map((context) => at(context, level) ?? null),
          tooltip: { valueFormatter: format },
        })),
        ...(cold.length === 0
          ? []
          : [
              {
                type: 'line' as const,
                name: COLD,
                color: CHART_COLORS[theme].text,
                symbol: 'diamond',
                symbolSize: 10,
                lineStyle: { width: 2, type: 'dashed' as const },
                connectNulls: true,
                data: contexts.map((context) => coldAt(context) ?? null),
                tooltip: { valueFormatter: format },
              },
            ]),
      ],
    }),
    table: {
      columns: ['Context', ...levels.map((level) => `${countText(level)} at once`), COLD],
      rows: contexts.map((context) => [
        contextLabel(context),
        ...levels.map((level) => msText(at(context, level))),
        msText(coldAt(context)),
      ]),
    },
  }
}
