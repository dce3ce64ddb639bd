import { htmlText } from '../../format/index.ts'
import { logShare, logTicks, spread } from './scale.ts'
import { SERIES_COUNT } from './style.ts'

export interface Series {
  name: string
  dashed?: boolean
  /** `x` counts the labels of the x axis from 0. */
  points: { x: number; y: number }[]
}

interface Chart {
  id: string
  title: string
  subtitle: string
  xLabels: string[]
  xTitle: string
  yText(value: number): string
  series: Series[]
}

const WIDTH = 560
const HEIGHT = 320
const PLOT = { left: 48, right: WIDTH - 62, top: 10, bottom: HEIGHT - 40 }

/** A small line chart, y logarithmic, every line named at its end and with a mark of its own shape, so that colour is not needed. */
export function renderChart(chart: Chart): string {
  const values = chart.series.flatMap((line) => line.points.map((point) => point.y)).filter((value) => value > 0)
  if (values.length === 0) return ''
  const ticks = logTicks(Math.min(...values), Math.max(...values))
  const step = (PLOT.right - PLOT.left - 24) / Math.max(1, chart.xLabels.length - 1)
  const x = (index: number) => PLOT.left + 12 + index * step
  const y = (value: number) => PLOT.bottom - logShare(value, ticks) * (PLOT.bottom - PLOT.top)
  const number = (value: number) => String(Math.round(value * 10) / 10)

  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${String(PLOT.left)}" x2="${String(PLOT.right)}" y1="${number(y(tick))}" y2="${number(y(tick))}"/>` +
      `<text class="tick" text-anchor="end" x="${String(PLOT.left - 7)}" y="${number(y(tick) + 4)}">${htmlText(chart.yText(tick))}</text>`,
  )
  const below = chart.xLabels.map(
    (label, index) =>
      `<text class="tick" text-anchor="middle" x="${number(x(index))}" y="${String(PLOT.bottom + 17)}">${htmlText(label)}</text>`,
  )
  const lines = chart.series.map((line, index) => {
    const points = line.points.filter((point) => point.y > 0)
    const pieces = points.slice(1).map((point, at) => {
      const before = points[at] ?? point
      // A measurement is missing in between: the line is only guessed there, and looks so.
      const gap = point.x > before.x + 1 ? ' gap' : line.dashed === true ? ' dashed' : ''
      return `<path class="line${gap}" d="M${number(x(before.x))} ${number(y(before.y))}L${number(x(point.x))} ${number(y(point.y))}"/>`
    })
    const marks = points.map((point) => `<path class="mark" d="${mark(index, x(point.x), y(point.y), number)}"/>`).join('')
    return `<g class="s${String(index % SERIES_COUNT)}">${pieces.join('')}${marks}</g>`
  })
  const axis = `<text class="axis" text-anchor="middle" x="${String((PLOT.left + PLOT.right) / 2)}" y="${String(HEIGHT - 5)}">${htmlText(chart.xTitle)}</text>`
  const said = chart.series.map(
    (line) =>
      `${line.name}: ${line.points.map((point) => `${chart.yText(point.y)} at ${chart.xLabels[point.x] ?? ''}`).join(', ')}`,
  )

  return (
    `<figure class="card"><figcaption>${htmlText(chart.title)}</figcaption><p>${htmlText(chart.subtitle)}</p>` +
    `<svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" role="img" aria-labelledby="${chart.id}-t ${chart.id}-d">` +
    `<title id="${chart.id}-t">${htmlText(chart.title)}</title><desc id="${chart.id}-d">${htmlText(said.join('; '))}</desc>` +
    `${grid.join('')}${below.join('')}${axis}${lines.join('')}${names(chart, x, y, number)}</svg></figure>`
  )
}

/** The name of each line behind its last point; lines that end together share the space. */
function names(
  chart: Chart,
  x: (index: number) => number,
  y: (value: number) => number,
  number: (value: number) => string,
): string {
  const ends = chart.series.flatMap((line, index) => {
    const last = line.points.filter((point) => point.y > 0).at(-1)
    return last === undefined ? [] : [{ line, index, x: last.x, y: y(last.y) }]
  })
  const columns = [...new Set(ends.map((end) => end.x))]
  return columns
    .flatMap((column) => {
      const here = ends.filter((end) => end.x === column)
      const at = spread(
        here.map((end) => end.y),
        12,
        PLOT.top + 4,
        PLOT.bottom - 4,
      )
      return here.map(
        (end, index) =>
          `<text class="name s${String(end.index % SERIES_COUNT)}" x="${number(x(column) + 9)}" y="${number((at[index] ?? end.y) + 4)}">${htmlText(end.line.name)}</text>`,
      )
    })
    .join('')
}

const SHAPES: ((x: number, y: number, r: number, n: (value: number) => string) => string)[] = [
  (x, y, r, n) => `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0Z`,
  (x, y, r, n) => `M${n(x - r)} ${n(y - r)}h${n(2 * r)}v${n(2 * r)}h${n(-2 * r)}Z`,
  (x, y, r, n) => `M${n(x)} ${n(y - r * 1.3)}L${n(x + r * 1.2)} ${n(y + r)}H${n(x - r * 1.2)}Z`,
  (x, y, r, n) => `M${n(x)} ${n(y - r * 1.4)}L${n(x + r * 1.4)} ${n(y)}L${n(x)} ${n(y + r * 1.4)}L${n(x - r * 1.4)} ${n(y)}Z`,
  (x, y, r, n) => `M${n(x)} ${n(y + r * 1.3)}L${n(x + r * 1.2)} ${n(y - r)}H${n(x - r * 1.2)}Z`,
  (x, y, r, n) => `M${n(x - r * 0.6)} ${n(y - r * 1.3)}h${n(r * 1.2)}v${n(r * 2.6)}h${n(-r * 1.2)}Z`,
  (x, y, r, n) => `M${n(x - r * 1.3)} ${n(y - r * 0.6)}h${n(r * 2.6)}v${n(r * 1.2)}h${n(-r * 2.6)}Z`,
]

const mark = (index: number, x: number, y: number, number: (value: number) => string) =>
  (SHAPES[index % SHAPES.length] ?? SHAPES[0])?.(x, y, 3.4, number) ?? ''
