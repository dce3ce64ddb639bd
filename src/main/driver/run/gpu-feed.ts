import type { GpuSample } from '../../../shared/model/telemetry.ts'

export interface GpuReading {
  /** By the driver's clock, ms. */
  atMs: number
  gpus: GpuSample[]
}

/** The server's GPUs over time, whoever samples them. */
export interface GpuFeed {
  add(reading: GpuReading): void
  between(fromMs: number, toMs: number): GpuReading[]
  readonly latest: GpuReading | undefined
}

const KEPT = 8192

/** `indexes`: the GPUs that belong to the server; all where absent. */
export function createGpuFeed(indexes: number[] | undefined): GpuFeed {
  const kept: GpuReading[] = []
  return {
    add(reading) {
      const gpus = indexes === undefined ? reading.gpus : reading.gpus.filter((gpu) => indexes.includes(gpu.index))
      if (gpus.length === 0) return
      kept.push({ atMs: reading.atMs, gpus })
      if (kept.length > KEPT) kept.splice(0, KEPT / 2)
    },
    between: (fromMs, toMs) => kept.filter((reading) => reading.atMs >= fromMs && reading.atMs <= toMs),
    get latest() {
      return kept.at(-1)
    },
  }
}
