/** How a page ends a cell. */
export type PublishedStatus = 'valid' | 'looped' | 'over_capacity'

/** One cell of a published matrix. Figures are absent where the page shows none. */
export interface PublishedCell {
  contextTokens: number
  concurrency: number
  status: PublishedStatus
  totalTokensPerSecond?: number
  perRequestTokensPerSecond?: number
  ttftMs?: number
  timeBetweenTokensMs?: number
  activeRequestsMean?: number
}

/** One prefill row: `tokensPerSecond` is printed with three digits, `ttftMs` is whole. */
interface PublishedPrefill {
  contextTokens: number
  tokensPerSecond: number
  ttftMs: number
}

export interface MachineGpu {
  /** As nvidia-smi says it. */
  name: string
  memoryMiB: number
  computeCapability: string
  powerLimitWatts: number
  idleWatts: number
  busyWatts: number
  maxSmClockMhz: number
  maxMemoryClockMhz: number
  busyTemperatureC: number
}

/** A published machine: what it is, what runs on it, and how fast that was (see README: where the figures come from). */
export interface Machine {
  name: string
  title: string
  hostName: string
  gpus: MachineGpu[]
  driverVersion: string
  cudaVersion: string
  model: string
  /** Folder in the home folder that holds the environment, as the published launch command names it. */
  environmentFolder: string
  vllmVersion: string
  architecture: string
  attentionBackend: string
  maxModelLen: number
  /** Inside the interval that the published over-capacity cells allow; lowered by a smaller --gpu-memory-utilization. */
  kvTokens: number
  gpuMemoryUtilization: number
  weightsGiBPerGpu: number
  tensorParallel: number
  /** Draft tokens a step and the mean tokens a step that come out; absent without speculation. */
  speculation?: { draftTokens: number; acceptanceLength: number }
  /** Words of the published launch command, without --host, --port and --api-key. */
  launchWords: string[]
  cells: PublishedCell[]
  prefill: PublishedPrefill[]
}

/** [context, concurrency, status, total tok/s, per request tok/s, TTFT ms, ms between tokens, average active] */
type CellRow =
  | readonly [number, number, 'valid', number, number, number, number, number]
  | readonly [number, number, 'looped' | 'over_capacity']

/** [context, tok/s, TTFT ms] */
type PrefillRow = readonly [number, number, number]

export function toCells(rows: readonly CellRow[]): PublishedCell[] {
  return rows.map(([contextTokens, concurrency, status, total, perRequest, ttftMs, timeBetweenTokensMs, active]) => {
    if (status !== 'valid') return { contextTokens, concurrency, status }
    return {
      contextTokens,
      concurrency,
      status,
      totalTokensPerSecond: total,
      perRequestTokensPerSecond: perRequest,
      ttftMs,
      timeBetweenTokensMs,
      activeRequestsMean: active,
    }
  })
}

export function toPrefill(rows: readonly PrefillRow[]): PublishedPrefill[] {
  return rows.map(([contextTokens, tokensPerSecond, ttftMs]) => ({ contextTokens, tokensPerSecond, ttftMs }))
}
