import { describe, expect, it } from 'vitest'
import type { TelemetryPoint } from '../../shared/contract/sweeps.ts'
import type { CellRow } from '../../shared/model/run.ts'
import { CHART_COLORS, seriesLook } from './chart-theme.ts'
import type { LineSeriesOption } from './echarts.ts'
import { rateChart } from './rate-chart.ts'
import { secondsChart } from './seconds-chart.ts'
import { telemetryChart } from './telemetry-chart.ts'
import { acceptanceLine, telemetryPanels } from './telemetry-series.ts'
import { tradeoffChart } from './tradeoff-chart.ts'
import { ttftChart } from './ttft-chart.ts'

const cell = (contextTokens: number, concurrency: number, change: Partial<CellRow> = {}): CellRow => ({
  contextTokens,
  concurrency,
  status: 'valid',
  flags: [],
  attempts: 1,
  totalTokensPerSecond: 100 * concurrency,
  perRequestTokensPerSecond: 100,
  ttftMs: 40,
  ...change,
})
const seriesOf = (option: { series?: unknown }) => option.series as LineSeriesOption[]

describe('charts', () => {
  const cells = [cell(8192, 4), cell(8192, 1), cell(0, 4, { status: 'looped', totalTokensPerSecond: 9 }), cell(0, 1)]

  it('draws a line per context and leaves a gap where a cell has no valid figure', () => {
    const series = seriesOf(rateChart(cells).option('light'))
    expect(series.map((line) => [line.name, line.data])).toEqual([
      ['0', [100, null]],
      ['8K', [100, 400]],
    ])
  })

  it('has the same numbers as a table', () => {
    expect(rateChart(cells).table).toEqual({
      columns: ['Context', '1 at once', '4 at once'],
      rows: [
        ['0', '100.0', '—'],
        ['8K', '100.0', '400.0'],
      ],
    })
    expect(rateChart([]).hasData).toBe(false)
  })

  it('sets the cold prefill beside TTFT', () => {
    const chart = ttftChart(cells, [{ contextTokens: 8192, status: 'valid', flags: [], samples: [], ttftMs: 900 }])
    expect(seriesOf(chart.option('dark')).at(-1)).toMatchObject({ name: 'Cold prefill', data: [null, 900] })
    expect(chart.table.rows).toContainEqual(['8K', '40 ms', '40 ms', '900 ms'])
  })

  it('orders the points of a trade-off by requests at once', () => {
    const [, line] = seriesOf(tradeoffChart(cells).option('light'))
    expect(line?.data).toEqual([
      [100, 100, 1],
      [100, 400, 4],
    ])
  })

  it('tells series apart without colour', () => {
    const looks = Array.from({ length: 12 }, (_, index) => seriesLook('light', index))
    expect(new Set(looks.map((look) => JSON.stringify([look.color, look.symbol]))).size).toBe(12)
    expect(new Set(looks.slice(0, 8).map((look) => look.symbol)).size).toBe(8)
    expect(CHART_COLORS.dark.series).toHaveLength(CHART_COLORS.light.series.length)
  })

  it('never renders tooltips as HTML', () => {
    expect(rateChart(cells).option('light').tooltip).toMatchObject({ renderMode: 'richText' })
    expect(tradeoffChart(cells).option('light').tooltip).toMatchObject({ renderMode: 'richText' })
  })

  it('draws the window second by second', () => {
    const chart = secondsChart(
      [
        { second: 0, tokens: 90, events: 9 },
        { second: 1, tokens: 110, events: 11, running: 4, waiting: 0 },
      ],
      100.04,
    )
    expect(seriesOf(chart.option('light')).map((line) => line.data)).toEqual([
      [90, 110],
      [100, 100],
      [null, 4],
      [null, 0],
    ])
  })
})

describe('telemetry', () => {
  const points: TelemetryPoint[] = [
    {
      t: 1000,
      gpus: [
        { index: 1, powerWatts: 300 },
        { index: 0, powerWatts: 310 },
      ],
      metrics: { specDraftTokens: 100, specAcceptedTokens: 60, running: 2 },
    },
    { t: 2000, metrics: { specDraftTokens: 200, specAcceptedTokens: 140 } },
    { t: 3000, metrics: { specDraftTokens: 200, specAcceptedTokens: 140 } },
  ]

  it('has a line per GPU and no panel for what is not reported', () => {
    const panels = telemetryPanels(points)
    expect(panels.map((panel) => panel.id)).toEqual(['power', 'requests', 'acceptance'])
    expect(panels[0]?.lines.map((line) => line.name)).toEqual(['GPU 0', 'GPU 1'])
  })

  it('takes acceptance from differences of counters, and says nothing where nothing was drafted', () => {
    expect(acceptanceLine(points).points).toEqual([[2000, 80]])
  })

  it('puts panels on one time axis and sums them up as a table', () => {
    const chart = telemetryChart(points)
    expect(chart.option('dark').grid).toHaveLength(3)
    expect(chart.table.rows[0]).toEqual([
      'Power, GPU 0',
      '1970-01-01 00:00 UTC',
      '1970-01-01 00:00 UTC',
      '310 W',
      '310 W',
      '310 W',
      '1',
    ])
  })
})
