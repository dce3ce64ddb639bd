import { ActionIcon, Tooltip, useComputedColorScheme } from '@mantine/core'
import { ChartLine, Image, Table } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useApp } from '../state/context.ts'
import { CopyMenu } from '../ui/copy-menu.tsx'
import { Panel } from '../ui/panel.tsx'
import type { ChartModel } from './chart-model.ts'
import { ChartTableView, tableAsMarkdown, tableAsTsv } from './chart-table.tsx'
import { CHART_COLORS } from './chart-theme.ts'
import { type ECharts, startChart } from './echarts.ts'
import classes from './chart.module.css'

interface ChartProps {
  model: ChartModel
  /** Begins the name of a saved picture. */
  fileName: string
  height?: number
}

/** A chart with its table: the picture can be saved, the numbers read and copied. */
export function Chart({ model, fileName, height = 320 }: ChartProps) {
  const [asTable, setAsTable] = useState(false)
  const chart = useRef<ECharts>(undefined)
  const { shell } = useApp()
  const theme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const save = () => {
    const url = chart.current?.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: CHART_COLORS[theme].ground })
    if (url === undefined) return
    const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (char) => char.charCodeAt(0))
    shell.download({ fileName: `${safeName(`${fileName} ${model.title}`)}.png`, mediaType: 'image/png', data: bytes })
  }
  const toggle = asTable ? 'Show the picture' : 'Show the numbers'
  return (
    <Panel
      title={model.title}
      padding="none"
      actions={
        model.hasData && (
          <>
            {asTable ? (
              <CopyMenu what="the table" markdown={() => tableAsMarkdown(model.table)} tsv={() => tableAsTsv(model.table)} />
            ) : (
              <Tooltip label="Save the picture">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={26}
                  aria-label={`Save the picture: ${model.title}`}
                  onClick={save}
                >
                  <Image size={15} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
            <Tooltip label={toggle}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={26}
                aria-label={`${toggle}: ${model.title}`}
                aria-pressed={asTable}
                onClick={() => setAsTable(!asTable)}
              >
                {asTable ? <ChartLine size={15} aria-hidden /> : <Table size={15} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          </>
        )
      }
    >
      {!model.hasData ? (
        <p className={classes.empty}>Nothing measured yet.</p>
      ) : asTable ? (
        <ChartTableView table={model.table} title={model.title} />
      ) : (
        <Picture model={model} height={height} chartRef={chart} />
      )}
    </Panel>
  )
}

function Picture({ model, height, chartRef }: { model: ChartModel; height: number; chartRef: { current: ECharts | undefined } }) {
  const element = useRef<HTMLDivElement>(null)
  const theme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  useEffect(() => {
    if (!element.current) return undefined
    const chart = startChart(element.current)
    chartRef.current = chart
    const watcher = new ResizeObserver(() => {
      chart.resize()
    })
    watcher.observe(element.current)
    return () => {
      watcher.disconnect()
      chart.dispose()
      chartRef.current = undefined
    }
  }, [chartRef])
  useEffect(() => {
    chartRef.current?.setOption(model.option(theme), { notMerge: true, lazyUpdate: true })
  }, [chartRef, model, theme])
  return <div ref={element} className={classes.picture} style={{ height }} role="img" aria-label={model.description} />
}

const safeName = (text: string) => text.replace(/[^\p{L}\p{N}._ -]+/gu, '-').slice(0, 120)
