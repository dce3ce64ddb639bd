import { LineChart, type LineSeriesOption } from 'echarts/charts'
import {
  AriaComponent,
  type AriaComponentOption,
  GridComponent,
  type GridComponentOption,
  LegendComponent,
  type LegendComponentOption,
  MarkAreaComponent,
  TooltipComponent,
  type TooltipComponentOption,
} from 'echarts/components'
import { type ComposeOption, type ECharts, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

// Only what the charts here use: the whole of ECharts is three times as large.
use([LineChart, GridComponent, LegendComponent, TooltipComponent, AriaComponent, MarkAreaComponent, CanvasRenderer])

export type ChartOption = ComposeOption<
  LineSeriesOption | GridComponentOption | LegendComponentOption | TooltipComponentOption | AriaComponentOption
>
export type { ECharts, LineSeriesOption, TooltipComponentOption }

/** On an element with a size. The caller disposes of it. */
export const startChart = (element: HTMLElement): ECharts => init(element, undefined, { renderer: 'canvas' })
