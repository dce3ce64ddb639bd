import type { ChartTheme } from './chart-theme.ts'
import type { ChartOption } from './echarts.ts'

/** The same numbers for people who can't or don't want to see the picture. */
export interface ChartTable {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

/** A chart before it is drawn. */
export interface ChartModel {
  title: string
  /** One sentence a screen reader says in place of the picture. */
  description: string
  /** False where there is nothing to draw yet. */
  hasData: boolean
  option(theme: ChartTheme): ChartOption
  table: ChartTable
}
