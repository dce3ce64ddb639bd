import { contextLabel, countText, rateText } from '../../shared/format/index.ts'
import type { CellRow } from '../../shared/model/run.ts'
import type { ChartModel } from './chart-model.ts'
import { axisLook, baseOption, seriesLook, valueAxisLook } from './chart-theme.ts'
import { contextsOf, isMeasured, levelsOf } from './rows.ts'

/** Total tok/s against requests at once, a line per context: where does more load stop paying? */
const shortRate = (value: number) => rateText(value).replace(/\.0$/, '')

export function rateChart(cells: readonly CellRow[]): ChartModel {
  const valid = cells.filter((cell) => isMeasured(cell, cell.totalTokensPerSecond))
  const [contexts, levels] = [contextsOf(valid), levelsOf(valid)]
  const at = (context: number, level: number) =>
    valid.find((cell) => cell.contextTokens === context && cell.concurrency === level)?.totalTokensPerSecond
  return {
    title: 'Throughput against requests at once',
    description: `Total tokens per second against requests at once, one line for each of ${contexts.length} contexts.`,
    hasData: valid.length > 0,
    option: (theme) => ({
      ...baseOption(theme, 'Total tokens per second against requests at once, one line per context.'),
      xAxis: {
        type: 'category',
        data: levels.map(countText),
        ...axisLook(theme, 'requests at once'),
        nameLocation: 'middle',
        nameTextStyle: { align: 'center' },
        nameGap: 26,
      },
      yAxis: {
        type: 'value',
        ...valueAxisLook(theme, 'tok/s', shortRate),
      },
      series: contexts.map((context, index) => ({
        type: 'line' as const,
        name: contextLabel(context),
        ...seriesLook(theme, index),
        connectNulls: true,
        data: levels.map((level) => at(context, level) ?? null),
        tooltip: { valueFormatter: (value) => (typeof value === 'number' ? `${rateText(value)} tok/s` : '—') },
      })),
    }),
    table: {
      columns: ['Context', ...levels.map((level) => `${countText(level)} at once`)],
      rows: contexts.map((context) => [contextLabel(context), ...levels.map((level) => rateText(at(context, level)))]),
    },
  }
}
