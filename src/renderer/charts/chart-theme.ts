import type { ChartOption, LineSeriesOption, TooltipComponentOption } from './echarts.ts'

export type ChartTheme = 'light' | 'dark'

/** A canvas knows no CSS variables: the tokens it needs, once more (styles/tokens.css). */
interface ChartColors {
  ground: string
  text: string
  muted: string
  line: string
  faint: string
  tooltip: string
  /** Apart in lightness as well as in hue: Okabe–Ito's set, tuned for either ground. */
  series: readonly string[]
}

export const CHART_COLORS: Record<ChartTheme, ChartColors> = {
  light: {
    ground: '#ffffff',
    text: '#171b21',
    muted: '#5d6775',
    line: '#cbd1d9',
    faint: '#eef0f3',
    tooltip: '#ffffff',
    series: [
      '#1f5fd6',
      '#b45309',
      '#0f766e',
      '#9d2f7b',
      '#4d7c0f',
      '#6d4fc4',
      '#0e7490',
      '#b3261e',
      '#57606d',
      '#8a6d00',
      '#134e8a',
      '#7a3b12',
    ],
  },
  dark: {
    ground: '#171b20',
    text: '#e8ebef',
    muted: '#949eaa',
    line: '#3a434d',
    faint: '#242a31',
    tooltip: '#1e2329',
    series: [
      '#7fabff',
      '#f0a04b',
      '#4cc9b8',
      '#ec8fd0',
      '#a3d65c',
      '#b7a3ff',
      '#5fc8e8',
      '#ff8f86',
      '#b4bcc6',
      '#e3c54a',
      '#5b9be0',
      '#d99a6c',
    ],
  },
}

/** A shape and a stroke a series beside its colour. */
const SYMBOLS = [
  'circle',
  'rect',
  'triangle',
  'diamond',
  'path://M-5,-2H-2V-5H2V-2H5V2H2V5H-2V2H-5Z',
  'path://M-5,-4H5L0,5Z',
  'path://M0,-6L1.8,-1.8L6,-1.8L2.6,1L4,6L0,3L-4,6L-2.6,1L-6,-1.8L-1.8,-1.8Z',
  'path://M-4,-5L0,-1L4,-5L5,-4L1,0L5,4L4,5L0,1L-4,5L-5,4L-1,0L-5,-4Z',
] as const
const STROKES = ['solid', 'dashed', 'dotted'] as const

/** Looks of the index-th series: colour, symbol and stroke, so that none is told from another by colour alone. */
export function seriesLook(
  theme: ChartTheme,
  index: number,
): Pick<LineSeriesOption, 'color' | 'symbol' | 'symbolSize' | 'lineStyle'> {
  const { series } = CHART_COLORS[theme]
  return {
    color: series[index % series.length] ?? '#888888',
    symbol: SYMBOLS[index % SYMBOLS.length] ?? 'circle',
    symbolSize: 7,
    lineStyle: { width: 2, type: STROKES[Math.floor(index / series.length) % STROKES.length] ?? 'solid' },
  }
}

const fontOf = (theme: ChartTheme) => ({
  color: CHART_COLORS[theme].muted,
  fontFamily: "Inter, system-ui, 'Segoe UI', 'Noto Sans', sans-serif",
  fontSize: 12,
})

/** Drawn on the canvas: what servers and people named is never HTML. */
export function baseTooltip(theme: ChartTheme): TooltipComponentOption {
  const colors = CHART_COLORS[theme]
  return {
    trigger: 'axis',
    renderMode: 'richText',
    confine: true,
    backgroundColor: colors.tooltip,
    borderColor: colors.line,
    textStyle: { ...fontOf(theme), color: colors.text },
    axisPointer: { type: 'line', lineStyle: { color: colors.muted, type: 'dashed' } },
  }
}

/** What every chart has: fonts, legend, tooltips drawn on the canvas (never HTML), a spoken description. */
export function baseOption(theme: ChartTheme, description: string): ChartOption {
  const font = fontOf(theme)
  return {
    backgroundColor: 'transparent',
    animation: false,
    textStyle: font,
    aria: { enabled: true, label: { enabled: true, description }, decal: { show: false } },
    legend: { type: 'scroll', top: 0, left: 0, itemGap: 12, itemWidth: 18, itemHeight: 8, textStyle: font },
    tooltip: baseTooltip(theme),
    grid: { left: 12, right: 20, top: 54, bottom: 30, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
  }
}

/** Looks of an axis. */
export function axisLook(theme: ChartTheme, name: string) {
  const colors = CHART_COLORS[theme]
  return {
    name,
    nameTextStyle: { color: colors.muted, fontSize: 12, align: 'left' as const },
    nameGap: 10,
    axisLine: { lineStyle: { color: colors.line } },
    axisTick: { lineStyle: { color: colors.line } },
    axisLabel: { color: colors.muted, fontSize: 12 },
    splitLine: { lineStyle: { color: colors.faint } },
    minorSplitLine: { show: false },
  }
}

/** An axis of numbers whose ticks are written in our own formats. */
export function valueAxisLook(theme: ChartTheme, name: string, format: (value: number) => string) {
  const look = axisLook(theme, name)
  return { ...look, axisLabel: { ...look.axisLabel, formatter: (value: number) => format(value) } }
}
