import { contextLabel, countText, rateText } from '../../format/index.ts'
import type { ReportModel } from '../types.ts'
import { renderChart } from './chart.ts'
import type { Series } from './chart.ts'

/** The two views of a matrix that a table can't give: how the rate grows with requests, and TTFT with context. */
export function renderCharts(report: ReportModel): string {
  const charts = [rateChart(report), ttftChart(report)].filter((chart) => chart !== '')
  return charts.length === 0 ? '' : `<aside class="charts" aria-label="Charts">${charts.join('')}</aside>`
}

function rateChart({ matrix }: ReportModel): string {
  if (matrix.levels.length < 2) return ''
  const series = matrix.rows.map(
    (row, index): Series => ({
      name: contextLabel(matrix.contexts[index] ?? 0),
      points: row.flatMap((cell, x) => (cell.tokensPerSecond === undefined ? [] : [{ x, y: cell.tokensPerSecond }])),
    }),
  )
  return renderChart({
    id: 'chart-rate',
    title: 'Total tok/s by simultaneous requests',
    subtitle: 'One line a context; both axes logarithmic',
    xLabels: matrix.levels.map(countText),
    xTitle: 'simultaneous requests',
    yText: shortRate,
    series: readable(series.filter((line) => line.points.length > 0)),
  })
}

function ttftChart({ matrix, prefill }: ReportModel): string {
  const contexts = [...new Set([...matrix.contexts, ...prefill.map((entry) => entry.contextTokens)])].sort((a, b) => a - b)
  if (contexts.length < 2) return ''
  const series = matrix.levels.map(
    (level, column): Series => ({
      name: `×${countText(level)}`,
      points: matrix.rows.flatMap((row, index) => {
        const ttftMs = row[column]?.ttftMs
        return ttftMs === undefined ? [] : [{ x: contexts.indexOf(matrix.contexts[index] ?? 0), y: ttftMs }]
      }),
    }),
  )
  const cold: Series = {
    name: 'prefill',
    dashed: true,
    points: prefill.flatMap((entry) =>
      entry.ttftMs === undefined ? [] : [{ x: contexts.indexOf(entry.contextTokens), y: entry.ttftMs }],
    ),
  }
  return renderChart({
    id: 'chart-ttft',
    title: 'TTFT by context',
    subtitle: 'One line a number of simultaneous requests; dashed: prefill, nothing cached',
    xLabels: contexts.map(contextLabel),
    xTitle: 'context',
    yText: (ms) =>
      ms >= 1000 ? `${String(Math.round(ms / 100) / 10)} s` : `${ms < 10 ? String(Math.round(ms * 10) / 10) : countText(ms)} ms`,
    series: [...readable(series.filter((line) => line.points.length > 0)), ...(cold.points.length > 0 ? [cold] : [])],
  })
}

/** At most eight lines, spread over all, the first and the last among them: more can't be told apart (the tables have every one). */
function readable(series: Series[]): Series[] {
  const most = 8
  if (series.length <= most) return series
  const picked = Array.from({ length: most }, (_, index) => Math.round((index * (series.length - 1)) / (most - 1)))
  return series.filter((_, index) => picked.includes(index))
}

const shortRate = (rate: number) =>
  rate >= 10_000 ? rateText(rate) : rate >= 10 ? countText(rate) : String(Math.round(rate * 100) / 100)
