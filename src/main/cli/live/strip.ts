import { percentText } from '../../../shared/format/index.ts'
import type { GpuSample, MetricsSample } from '../../../shared/model/telemetry.ts'
import type { Picture } from './picture.ts'
import { joinFitting, widthOf } from './text.ts'

/** What the GPUs and the server's own gauges say, in at most `maxLines` lines. Nothing where nothing is known. */
export function stripLines({ view, gpus: known }: Picture, columns: number, maxLines: number): string[] {
  const samples = view.telemetry.findLast((point) => point.gpus !== undefined)?.gpus ?? []
  const gpus = samples.map((gpu) => gpuText(gpu, known.find((each) => each.index === gpu.index)?.memoryMiB))
  const metrics: MetricsSample = Object.assign({}, ...view.telemetry.map((point) => point.metrics))
  const server = serverText(metrics)
  const parts = [...gpus, ...(server ? [server] : [])]
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    const joined = last === undefined ? part : `${last}  │  ${part}`
    if (last !== undefined && widthOf(joined) <= columns) lines[lines.length - 1] = joined
    else lines.push(joinFitting(part.split(' · '), columns))
  }
  if (lines.length <= maxLines) return lines
  const [only] = gpus
  if (only !== undefined && gpus.length === 1)
    return [joinFitting([only, server].join(' · ').split(' · '), columns)].slice(0, maxLines)
  // Many GPUs and little room: what they do together.
  const watts = sum(samples.map((gpu) => gpu.powerWatts))
  const hottest = Math.max(...samples.map((gpu) => gpu.temperatureC ?? Number.NEGATIVE_INFINITY))
  const together = [
    `${samples.length} GPUs`,
    watts === undefined ? undefined : `${Math.round(watts)} W`,
    Number.isFinite(hottest) ? `up to ${Math.round(hottest)} °C` : undefined,
  ]
  return [joinFitting([...together, ...(server?.split(' · ') ?? [])], columns)].slice(0, maxLines)
}

function gpuText(gpu: GpuSample, memoryMiB: number | undefined): string {
  const used = gpu.memoryUsedMiB
  const gib = (mib: number) => (mib / 1024).toFixed(mib < 10_240 ? 1 : 0)
  const parts = [
    gpu.powerWatts === undefined ? undefined : `${Math.round(gpu.powerWatts)} W`,
    gpu.temperatureC === undefined ? undefined : `${Math.round(gpu.temperatureC)} °C`,
    gpu.utilizationPercent === undefined ? undefined : `${Math.round(gpu.utilizationPercent)} %`,
    used === undefined ? undefined : `${gib(used)}${memoryMiB ? `/${gib(memoryMiB)}` : ''} GiB`,
    gpu.throttleReasons?.length ? `throttled: ${gpu.throttleReasons.join(', ')}` : undefined,
  ].filter((part) => part !== undefined)
  return [`GPU ${gpu.index}`, ...parts].join(' · ').replace(' · ', ' ')
}

function serverText(metrics: MetricsSample): string | undefined {
  const parts = [
    metrics.kvUsage === undefined ? undefined : `KV cache ${percentText(metrics.kvUsage * 100)}`,
    metrics.running === undefined ? undefined : `${metrics.running} running`,
    metrics.waiting === undefined ? undefined : `${metrics.waiting} waiting`,
  ].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(' · ') : undefined
}

function sum(values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? known.reduce((total, value) => total + value, 0) : undefined
}
