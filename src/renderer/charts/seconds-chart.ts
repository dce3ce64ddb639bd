import { countText, decimalText, percentText } from '../../shared/format/index.ts'
import type { SecondRecord } from '../../shared/model/cell.ts'
import type { ChartModel } from './chart-model.ts'
import { axisLook, baseOption, CHART_COLORS, seriesLook } from './chart-theme.ts'

/** The window second by second: is the rate steady, and did the server queue? */
export function secondsChart(series: readonly SecondRecord[], meanTokensPerSecond: number | undefined): ChartModel {
  const hasQueue = series.some((second) => second.running !== undefined || second.waiting !== undefined)
  return {
    title: 'Second by second',
    description: `Output tokens in each of ${series.length} seconds of the window${hasQueue ? ', with requests running and waiting' : ''}.`,
    hasData: series.length > 0,
    option: (theme) => ({
      ...baseOption(theme, 'Output tokens in each second of the window, with requests running and waiting.'),
      xAxis: {
        type: 'category',
        data: series.map((second) => String(second.second)),
        ...axisLook(theme, 'second of the window'),
        nameLocation: 'middle',
        nameTextStyle: { align: 'center' },
        nameGap: 26,
      },
      yAxis: [
        { type: 'value', ...axisLook(theme, 'tokens/s') },
        {
          type: 'value',
          ...axisLook(theme, 'requests'),
          nameTextStyle: { align: 'right', color: CHART_COLORS[theme].muted },
          show: hasQueue,
          splitLine: { show: false },
          minInterval: 1,
        },
      ],
      series: [
        {
          type: 'line',
          name: 'Tokens',
          ...seriesLook(theme, 0),
          symbolSize: 5,
          areaStyle: { opacity: 0.12 },
          data: series.map((second) => second.tokens),
        },
        ...(meanTokensPerSecond === undefined
          ? []
          : [
              {
                type: 'line' as const,
                name: 'Mean',
                color: CHART_COLORS[theme].muted,
                symbol: 'none',
                lineStyle: { width: 1.5, type: 'dashed' as const },
                data: series.map(() => Math.round(meanTokensPerSecond * 10) / 10),
              },
            ]),
        ...(hasQueue
          ? [
              {
                type: 'line' as const,
                name: 'Running',
                yAxisIndex: 1,
                ...seriesLook(theme, 2),
                step: 'end' as const,
                symbolSize: 4,
                data: series.map((second) => second.running ?? null),
              },
              {
                type: 'line' as const,
                name: 'Waiting',
                yAxisIndex: 1,
                ...seriesLook(theme, 1),
                step: 'end' as const,
                symbolSize: 4,
                data: series.map((second) => second.waiting ?? null),
              },
            ]
          : []),
      ],
    }),
    table: {
      columns: ['Second', 'Tokens', 'Events', 'Running', 'Waiting', 'KV cache'],
      rows: series.map((second) => [
        String(second.second),
        countText(second.tokens),
        countText(second.events),
        decimalText(second.running, 0),
        decimalText(second.waiting, 0),
        percentText(second.kvUsage === undefined ? undefined : second.kvUsage * 100),
      ]),
    },
  }
}
