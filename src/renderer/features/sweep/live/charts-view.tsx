import { useMemo } from 'react'
import { Chart } from '../../../charts/chart.tsx'
import { rateChart } from '../../../charts/rate-chart.ts'
import { telemetryChart, telemetryChartHeight } from '../../../charts/telemetry-chart.ts'
import { tradeoffChart } from '../../../charts/tradeoff-chart.ts'
import { ttftChart } from '../../../charts/ttft-chart.ts'
import { isRunOver } from '../../../../shared/model/states.ts'
import { useClient } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { useSweep } from '../state/sweep-feed.ts'
import classes from './live.module.css'

/** The run as pictures; they grow with the grid. */
export function ChartsView({ what }: { what: 'Charts' | 'Telemetry' }) {
  return what === 'Charts' ? <FigureCharts /> : <TelemetryCharts />
}

function FigureCharts() {
  const cells = useSweep((state) => state.cells)
  const prefill = useSweep((state) => state.prefill)
  const name = useSweep((state) => state.head.name)
  const models = useMemo(() => {
    const [rows, prefills] = [[...cells.values()], [...prefill.values()]]
    return [rateChart(rows), tradeoffChart(rows), ttftChart(rows, prefills)]
  }, [cells, prefill])
  return (
    <div className={classes.charts}>
      {models.map((model) => (
        <Chart key={model.title} model={model} fileName={name} />
      ))}
    </div>
  )
}

/** While it runs the last minutes; afterwards everything that was sampled. */
function TelemetryCharts() {
  const client = useClient()
  const head = useSweep((state) => state.head)
  const recent = useSweep((state) => state.telemetry)
  const over = isRunOver(head.state)
  const all = useQuery(`telemetry ${head.runId} ${String(over)}`, () => client.runs.telemetry.query({ runId: head.runId }))
  const points = useMemo(() => {
    const kept = all.value ?? []
    const last = kept.at(-1)?.t ?? 0
    return [...kept, ...recent.filter((point) => point.t > last)]
  }, [all.value, recent])
  const model = useMemo(() => telemetryChart(points), [points])
  if (!model.hasData) {
    return (
      <EmptyState
        title="No telemetry"
        text="Neither GPU samples nor server metrics have arrived for this run. A server without /metrics and a host without nvidia-smi give none."
      />
    )
  }
  return <Chart model={model} fileName={head.name} height={telemetryChartHeight(model.panels.length)} />
}
