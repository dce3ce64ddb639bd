import { absoluteTime } from '../../shared/format/index.ts'
import type { TelemetryPoint } from '../../shared/contract/sweeps.ts'
import type { ChartModel } from './chart-model.ts'
import { axisLook, baseOption, CHART_COLORS, seriesLook } from './chart-theme.ts'
import { type TelemetryPanel, telemetryPanels } from './telemetry-series.ts'

const PANEL_PX = 92
const GAP_PX = 26
const TOP_PX = 30

export const telemetryChartHeight = (panels: number): number => TOP_PX + panels * (PANEL_PX + GAP_PX) + 16

/** Everything that was sampled over time, panels above each other on one time axis. */
export function telemetryChart(points: readonly TelemetryPoint[]): ChartModel & { panels: TelemetryPanel[] } {
  const panels = telemetryPanels(points)
  return {
    panels,
    title: 'Telemetry over time',
    description: `${panels.map((panel) => panel.title).join(', ')} over time.`,
    hasData: panels.length > 0,
    option: (theme) => {
      const top = (index: number) => TOP_PX + index * (PANEL_PX + GAP_PX)
      return {
        ...baseOption(theme, `${panels.map((panel) => panel.title).join(', ')} over time, one panel each.`),
        legend: { show: false },
        grid: panels.map((_, index) => ({ left: 56, right: 16, top: top(index), height: PANEL_PX })),
        xAxis: panels.map((_, index) => ({
          type: 'time' as const,
          gridIndex: index,
          ...axisLook(theme, ''),
          axisLabel: { show: index === panels.length - 1, color: CHART_COLORS[theme].muted, hideOverlap: true },
        })),
        yAxis: panels.map((panel, index) => ({
          type: 'value' as const,
          gridIndex: index,
          scale: panel.max === undefined,
          splitNumber: 2,
          ...(panel.minStep !== undefined && { minInterval: panel.minStep }),
          ...(panel.max !== undefined && { min: 0, max: panel.max }),
          ...axisLook(theme, [panel.title, panel.unit].filter(Boolean).join(', ')),
          nameGap: 8,
          nameTextStyle: { align: 'left' as const, color: CHART_COLORS[theme].muted, fontSize: 12, padding: [0, 0, 0, -44] },
          axisLabel: { color: CHART_COLORS[theme].muted, fontSize: 11, formatter: (value: number) => panel.text(value) },
        })),
        axisPointer: { link: [{ xAxisIndex: 'all' }] },
        series: panels.flatMap((panel, index) =>
          panel.lines.map((line, at) => ({
            type: 'line' as const,
            name: panel.lines.length > 1 || line.name !== panel.title ? `${panel.title}, ${line.name}` : panel.title,
            xAxisIndex: index,
            yAxisIndex: index,
            ...seriesLook(theme, at),
            showSymbol: false,
            lineStyle: { width: 1.5, type: (['solid', 'dashed', 'dotted'] as const)[at % 3] ?? 'solid' },
            sampling: 'lttb' as const,
            data: line.points,
            tooltip: {
              valueFormatter: (value: unknown) => (typeof value === 'number' ? `${panel.text(value)} ${panel.unit}`.trim() : '—'),
            },
          })),
        ),
      }
    },
    table: telemetryTable(panels),
  }
}

function telemetryTable(panels: readonly TelemetryPanel[]) {
  const lines = panels.flatMap((panel) => panel.lines.map((line) => ({ panel, line })))
  return {
    columns: ['Figure', 'From', 'To', 'Lowest', 'Mean', 'Highest', 'Samples'],
    rows: lines.map(({ panel, line }) => {
      const values = line.points.map(([, value]) => value)
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      const text = (value: number) => `${panel.text(value)} ${panel.unit}`.trim()
      return [
        panel.lines.length > 1 ? `${panel.title}, ${line.name}` : panel.title,
        absoluteTime(line.points[0]?.[0]),
        absoluteTime(line.points.at(-1)?.[0]),
        text(Math.min(...values)),
        text(mean),
        text(Math.max(...values)),
        String(values.length),
      ]
    }),
  }
}
