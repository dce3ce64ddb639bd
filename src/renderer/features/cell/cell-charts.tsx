import { useMemo } from 'react'
import type { CellDetail } from '../../../shared/contract/runs.ts'
import type { TelemetryPoint } from '../../../shared/contract/sweeps.ts'
import { Chart } from '../../charts/chart.tsx'
import { secondsChart } from '../../charts/seconds-chart.ts'
import { telemetryChart, telemetryChartHeight } from '../../charts/telemetry-chart.ts'

export interface CellChartsProps {
  attempt: CellDetail['attempts'][number]
  telemetry: readonly TelemetryPoint[]
  fileName: string
}

/** The window second by second, and the machine meanwhile. */
export function CellCharts({ attempt, telemetry, fileName }: CellChartsProps) {
  const seconds = useMemo(
    () => secondsChart(attempt.series, (attempt.discarded ?? attempt.figures).totalTokensPerSecond),
    [attempt],
  )
  const machine = useMemo(() => telemetryChart(telemetry), [telemetry])
  return (
    <>
      {seconds.hasData && <Chart model={seconds} fileName={fileName} height={210} />}
      {machine.hasData && (
        <Chart
          model={{ ...machine, title: 'Machine meanwhile' }}
          fileName={fileName}
          height={telemetryChartHeight(machine.panels.length)}
        />
      )}
    </>
  )
}
