import { countText, decimalText } from '../../shared/format/index.ts'
import type { TelemetryPoint } from '../../shared/contract/sweeps.ts'
import type { GpuSample, MetricsSample } from '../../shared/model/telemetry.ts'

interface TelemetryLine {
  name: string
  points: [t: number, value: number][]
}

/** One small chart of the strip, one panel of the big one. */
export interface TelemetryPanel {
  id: string
  title: string
  unit: string
  definition: string
  lines: TelemetryLine[]
  /** Where 100 % is, where there is such a thing. */
  max?: number
  /** Ticks of an axis at least so far apart, so that noise isn't blown up. */
  minStep?: number
  text: (value: number) => string
}

const gpuLines = (points: readonly TelemetryPoint[], read: (gpu: GpuSample) => number | undefined): TelemetryLine[] => {
  const lines = new Map<number, TelemetryLine>()
  for (const point of points)
    for (const gpu of point.gpus ?? []) {
      const value = read(gpu)
      if (value === undefined) continue
      const line = lines.get(gpu.index) ?? { name: `GPU ${gpu.index}`, points: [] }
      line.points.push([point.t, value])
      lines.set(gpu.index, line)
    }
  return [...lines.entries()].sort(([a], [b]) => a - b).map(([, line]) => line)
}

const metricLine = (
  points: readonly TelemetryPoint[],
  name: string,
  read: (metrics: MetricsSample) => number | undefined,
): TelemetryLine => ({
  name,
  points: points.flatMap(({ t, metrics }): [number, number][] => {
    const value = metrics && read(metrics)
    return value === undefined ? [] : [[t, value]]
  }),
})

/** Accepted ÷ drafted tokens between neighbouring scrapes: counters only ever say what was since the start. */
export function acceptanceLine(points: readonly TelemetryPoint[]): TelemetryLine {
  const line: TelemetryLine = { name: 'Acceptance', points: [] }
  let before: MetricsSample | undefined
  for (const { t, metrics } of points) {
    if (metrics?.specDraftTokens === undefined || metrics.specAcceptedTokens === undefined) continue
    const drafted = metrics.specDraftTokens - (before?.specDraftTokens ?? metrics.specDraftTokens)
    const accepted = metrics.specAcceptedTokens - (before?.specAcceptedTokens ?? metrics.specAcceptedTokens)
    if (drafted > 0) line.points.push([t, (100 * accepted) / drafted])
    before = metrics
  }
  return line
}

const gib = (mib: number) => decimalText(mib / 1024, mib < 10_240 ? 1 : 0)
const percent = (value: number) => decimalText(value, value < 9.95 ? 1 : 0)

/** Panels with something to show; what a machine doesn't report has none. */
export function telemetryPanels(points: readonly TelemetryPoint[]): TelemetryPanel[] {
  const panels: TelemetryPanel[] = [
    {
      id: 'power',
      minStep: 10,
      title: 'Power',
      unit: 'W',
      definition: 'Power drawn by each GPU.',
      lines: gpuLines(points, (gpu) => gpu.powerWatts),
      text: countText,
    },
    {
      id: 'clock',
      minStep: 30,
      title: 'SM clock',
      unit: 'MHz',
      definition: 'Clock of the streaming multiprocessors.',
      lines: gpuLines(points, (gpu) => gpu.smClockMhz),
      text: countText,
    },
    {
      id: 'temperature',
      minStep: 2,
      title: 'Temperature',
      unit: '°C',
      definition: 'GPU core temperature.',
      lines: gpuLines(points, (gpu) => gpu.temperatureC),
      text: countText,
    },
    {
      id: 'memory',
      minStep: 1024,
      title: 'Memory',
      unit: 'GiB',
      definition: 'GPU memory in use. vLLM reserves nearly all of it at its start.',
      lines: gpuLines(points, (gpu) => gpu.memoryUsedMiB),
      text: gib,
    },
    {
      id: 'kv',
      title: 'KV cache',
      unit: '%',
      definition: "How full the server's KV cache is.",
      lines: [metricLine(points, 'KV cache', (m) => (m.kvUsage === undefined ? undefined : m.kvUsage * 100))],
      max: 100,
      text: percent,
    },
    {
      id: 'requests',
      minStep: 1,
      title: 'Run + wait',
      unit: '',
      definition: 'Requests the server is working on, and those that wait in its queue.',
      lines: [metricLine(points, 'Running', (m) => m.running), metricLine(points, 'Waiting', (m) => m.waiting)],
      text: countText,
    },
    {
      id: 'acceptance',
      title: 'Acceptance',
      unit: '%',
      definition: 'Accepted ÷ drafted tokens of speculative decoding.',
      lines: [acceptanceLine(points)],
      max: 100,
      text: percent,
    },
  ]
  return panels
    .map((panel) => ({ ...panel, lines: panel.lines.filter((line) => line.points.length > 0) }))
    .filter((panel) => panel.lines.length > 0)
}

/** The last value of each line. */
export const latest = (panel: TelemetryPanel): { name: string; text: string }[] =>
  panel.lines.map((line) => ({ name: line.name, text: panel.text(line.points.at(-1)?.[1] ?? 0) }))
