import { contextLabel, countText, rateText } from '../../shared/format/index.ts'
import type { CellRow } from '../../shared/model/run.ts'
import type { ChartModel } from './chart-model.ts'
import { axisLook, baseOption, baseTooltip, CHART_COLORS, seriesLook, valueAxisLook } from './chart-theme.ts'
import { contextsOf, isMeasured } from './rows.ts'

/** Total against per-request tok/s: what the machine gives in all, and what one person feels of it. Up and to the right is better. */
const shortRate = (value: number) => rateText(value).replace(/\.0$/, '')

export function tradeoffChart(cells: readonly CellRow[]): ChartModel {
  const valid = cells
    .filter((cell) => isMeasured(cell, cell.totalTokensPerSecond) && isMeasured(cell, cell.perRequestTokensPerSecond))
    .sort((a, b) => a.concurrency - b.concurrency)
  const contexts = contextsOf(valid)
  const of = (context: number) => valid.filter((cell) => cell.contextTokens === context)
  return {
    title: 'Throughput against speed per request',
    description: `Total against per-request tokens per second, one line for each of ${contexts.length} contexts, one point per number of requests.`,
    hasData: valid.length > 0,
    option: (theme) => ({
      ...baseOption(
        theme,
        'Total tokens per second against tokens per second of one request; points are labelled with requests at once.',
      ),
      tooltip: {
        ...baseTooltip(theme),
        trigger: 'item',
        formatter: (item) => pointText(Array.isArray(item) ? item[0] : item),
      },
      xAxis: {
        type: 'value',
        ...axisLook(theme, 'tok/s per request'),
        nameLocation: 'middle' as const,
        nameGap: 26,
        nameTextStyle: { align: 'center' as const },
        scale: true,
      },
      yAxis: {
        type: 'value',
        ...valueAxisLook(theme, 'total tok/s', shortRate),
      },
      series: contexts.map((context, index) => ({
        type: 'line' as const,
        name: contextLabel(context),
        ...seriesLook(theme, index),
        // One line's points say how many requests they are; on the others it would be a thicket, and the tooltip says it.
        label: {
          show: index === 0,
          position: 'top' as const,
          color: CHART_COLORS[theme].muted,
          fontSize: 10,
          formatter: '{@[2]}',
        },
        labelLayout: { hideOverlap: true },
        data: of(context).map((cell) => [cell.perRequestTokensPerSecond ?? 0, cell.totalTokensPerSecond ?? 0, cell.concurrency]),
      })),
    }),
    table: {
      columns: ['Context', 'At once', 'Total tok/s', 'Per request tok/s'],
      rows: contexts.flatMap((context) =>
        of(context).map((cell) => [
          contextLabel(context),
          countText(cell.concurrency),
          rateText(cell.totalTokensPerSecond),
          rateText(cell.perRequestTokensPerSecond),
        ]),
      ),
    },
  }
}

function pointText(item: { seriesName?: string; value?: unknown } | undefined): string {
  if (!item || !Array.isArray(item.value)) return ''
  const [each, total, level] = item.value as number[]
  return `${item.seriesName ?? ''} × ${countText(level)}\n${rateText(total)} tok/s in all\n${rateText(each)} tok/s per request`
}
