import type { Attempt, CellFigures, Flag, RequestRecord, SecondRecord } from '../../../shared/model/cell.ts'
import type { CellRow, PrefillRow } from '../../../shared/model/run.ts'
import type { TelemetryPoint } from '../../../shared/contract/sweeps.ts'

export const CONTEXTS = [0, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 98_304, 131_072, 196_608, 257_024]
export const CONCURRENCY = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96, 112, 128]
export const KV_TOKENS = 1_250_000
const MAX_OUTPUT = 4096

/** The same everywhere, so that pictures can be compared. */
export function noise(...parts: number[]): number {
  const x = Math.sin(parts.reduce((sum, part, index) => sum + part * (12.9898 + index * 78.233), 0.5)) * 43_758.5453
  return x - Math.floor(x) - 0.5
}

/** A plausible server: a step gets slower with the batch and with what lies in the cache. */
export function figuresOf(contextTokens: number, concurrency: number, scale = 1): CellFigures {
  const stepMs = (5.6 + concurrency * 0.055 + (contextTokens * concurrency) / 260_000) / scale
  const timeBetweenTokensMs = stepMs * (1 + noise(contextTokens, concurrency) * 0.03)
  const perRequest = 1000 / timeBetweenTokensMs
  const total = perRequest * concurrency * 0.985
  const ttftMs = 38 + concurrency * 3.1 + contextTokens / 900
  const watts = Math.min(690, 310 + concurrency * 3.4)
  return {
    promptTokens: contextTokens === 0 ? 9 : contextTokens,
    totalTokensPerSecond: total,
    perRequestTokensPerSecond: perRequest,
    ttftMs,
    timeBetweenTokensMs,
    activeRequestsMean: concurrency * (1 - Math.abs(noise(concurrency, 3)) * 0.02),
    decodingStreamsMean: concurrency * 0.998,
    completedRequests: Math.floor((total * 30) / MAX_OUTPUT),
    outputTokens: Math.round(total * 30),
    measuredSeconds: 29.98,
    windowSeconds: 30,
    confidence95Percent: 0.3 + Math.abs(noise(contextTokens, concurrency, 2)) * 2,
    confidenceSource: 'window',
    tokenSource: 'usage',
    percentiles: {
      ttftMs: { p50: ttftMs, p90: ttftMs * 1.3, p99: ttftMs * 1.9 },
      timeBetweenTokensMs: { p50: timeBetweenTokensMs, p90: timeBetweenTokensMs * 1.04, p99: timeBetweenTokensMs * 1.11 },
      eventGapMs: { p50: timeBetweenTokensMs, p90: timeBetweenTokensMs * 1.2, p99: timeBetweenTokensMs * 2.4 },
    },
    ttftInitialMs: ttftMs * 1.2,
    ttftRestartMs: ttftMs * 0.9,
    ttftFromLastByteMs: ttftMs - 1.4,
    requestSamples: concurrency * 2,
    speculative: {
      drafts: 41_000,
      draftTokens: 123_000,
      acceptedTokens: 82_400,
      acceptanceLength: 3.01,
      stepsPerSecond: 1000 / stepMs,
    },
    cache: { cachedShare: 0.9994, preemptions: 0 },
    serverCheck: {
      serverTokens: Math.round(total * 28.01),
      ourTokens: Math.round(total * 28),
      differencePercent: 0.02,
      seconds: 28,
    },
    energy: {
      meanWatts: watts,
      joulesPerOutputToken: watts / total,
      gpuCount: 1,
      smClockMhz: 1980,
      temperatureC: 61,
      throttleReasons: [],
      samples: 58,
    },
    path: { latenessP99Ms: 0.8, loopDelayP99Ms: 1.1, cpuShare: 0.21, events: Math.round(total * 30) },
  }
}

export type Verdict = 'run' | 'over' | 'looped' | 'error' | 'skipped'
export function verdictOf(contextTokens: number, concurrency: number): Verdict {
  if (contextTokens > 0 && concurrency * (contextTokens + MAX_OUTPUT) > KV_TOKENS) return 'over'
  if (contextTokens === 0 && concurrency === 24) return 'looped'
  if (contextTokens === 16_384 && concurrency === 12) return 'error'
  if (contextTokens === 8192 && concurrency === 80) return 'skipped'
  return 'run'
}

const flagsOf = (contextTokens: number, concurrency: number): Flag[] => {
  if (contextTokens === 1024 && concurrency === 64) return [{ flag: 'throttled', detail: 'sw_power_cap for 4 of 58 samples' }]
  if (contextTokens === 2048 && concurrency === 128)
    return [
      { flag: 'not_filled', detail: '119 of 128 ran when the window opened' },
      { flag: 'few_samples', detail: '2 requests', figures: ['ttftMs'] },
    ]
  if (contextTokens === 4096 && concurrency === 3) return [{ flag: 'drifting', detail: 'falls 2.1 % over the window' }]
  return []
}

/** The row of a cell that is over; `pending` where it isn't. */
export function cellRow(contextTokens: number, concurrency: number, isDone: boolean, scale = 1): CellRow {
  const place = { contextTokens, concurrency, flags: [], attempts: 0 }
  const verdict = verdictOf(contextTokens, concurrency)
  if (verdict === 'over') {
    const neededTokens = concurrency * (contextTokens + MAX_OUTPUT)
    return {
      ...place,
      status: 'over_capacity',
      reason: `${String(concurrency)} × (${String(contextTokens)} + ${String(MAX_OUTPUT)}) tokens need more than the KV cache holds`,
      neededTokens,
      kvTokens: KV_TOKENS,
    }
  }
  if (!isDone) return { ...place, status: 'pending' }
  if (verdict === 'looped')
    return {
      ...place,
      status: 'looped',
      attempts: 1,
      reason: 'stream 7 repeated 1,204 characters 5 times',
      completedRequests: 0,
      outputTokens: 0,
      discarded: figuresOf(contextTokens, concurrency, scale),
    }
  if (verdict === 'error')
    return {
      ...place,
      status: 'error',
      attempts: 1,
      reason: 'HTTP 500: EngineCore encountered an issue. See stack trace (above) for the root cause.',
      logLines: [
        '(EngineCore pid=4711) ERROR torch.OutOfMemoryError: CUDA out of memory.',
        '(EngineCore pid=4711) ERROR Tried to allocate 2.31 GiB.',
      ],
    }
  if (verdict === 'skipped') return { ...place, status: 'skipped', reason: 'skipped by the person' }
  return {
    ...place,
    status: 'valid',
    flags: flagsOf(contextTokens, concurrency),
    ...figuresOf(contextTokens, concurrency, scale),
    attempts: contextTokens === 0 && concurrency === 1 ? 2 : 1,
  }
}

export function prefillRow(contextTokens: number, isDone: boolean, scale = 1): PrefillRow {
  const place = { contextTokens, flags: [], samples: [] }
  if (!isDone) return { ...place, status: 'pending' }
  const tokensPerSecond = (15_400 - contextTokens / 40) * scale
  const ttftMs = (contextTokens / tokensPerSecond) * 1000
  return {
    ...place,
    status: 'valid',
    promptTokens: contextTokens,
    cachedTokens: 0,
    ttftMs,
    tokensPerSecond,
    completedRequests: 1,
    source: 'scout',
    samples: [{ ttftMs, promptTokens: contextTokens, cachedTokens: 0, coldVerified: true, tokensPerSecond }],
  }
}

/** GPU and server samples from so many seconds ago until now. */
export function telemetry(seconds: number, concurrency: number, gpuCount = 1): TelemetryPoint[] {
  const now = Date.now()
  return Array.from({ length: seconds }, (_, index) => telemetryPoint(now - (seconds - index) * 1000, concurrency, gpuCount))
}

export function telemetryPoint(t: number, concurrency: number, gpuCount = 1): TelemetryPoint {
  const at = Math.round(t / 1000)
  return {
    t,
    gpus: Array.from({ length: gpuCount }, (_, index) => ({
      index,
      utilizationPercent: Math.round(94 + noise(at, index) * 8),
      memoryUsedMiB: 131_400 + Math.round(noise(at, index, 1) * 40),
      powerWatts: 612 + noise(at, index, 2) * 90,
      temperatureC: Math.round(61 + Math.sin(at / 40) * 3 + index),
      smClockMhz: 1980 - (noise(at, index, 3) > 0.42 ? 165 : 0),
      memoryClockMhz: 3201,
      throttleReasons: noise(at, index, 3) > 0.42 ? ['sw_power_cap'] : [],
    })),
    metrics: {
      running: Math.max(0, concurrency - (noise(at, 9) > 0.4 ? 1 : 0)),
      waiting: noise(at, 9) > 0.4 ? 1 : 0,
      kvUsage: Math.min(0.99, 0.12 + concurrency * 0.006 + noise(at, 4) * 0.01),
      specDrafts: at * 1000,
      specAcceptedTokens: at * 2010 + Math.round(noise(at, 6) * 60),
    },
  }
}

/** An attempt with its seconds and requests. */
export function attemptOf(contextTokens: number, concurrency: number, attempt = 1): Omit<Attempt, 'rawEvents'> {
  const row = cellRow(contextTokens, concurrency, true)
  const figures = row.status === 'valid' ? figuresOf(contextTokens, concurrency) : {}
  const perSecond = figuresOf(contextTokens, concurrency).totalTokensPerSecond ?? 0
  const series: SecondRecord[] = Array.from({ length: 30 }, (_, second) => ({
    second,
    tokens: Math.round(perSecond * (1 + noise(second, concurrency) * 0.05)),
    events: Math.round(perSecond * 0.97),
    running: concurrency,
    waiting: 0,
    kvUsage: 0.2 + second / 400,
  }))
  const requests: RequestRecord[] = Array.from({ length: concurrency * 2 }, (_, index) => {
    const startMs = 400 + Math.floor(index / concurrency) * 19_000 + noise(index, 1) * 300
    const firstEventMs = startMs + (figures.ttftMs ?? 90) * (1 + noise(index, 2) * 0.4)
    const completed = index < concurrency
    return {
      stream: index % concurrency,
      ordinal: Math.floor(index / concurrency),
      startMs,
      lastByteSentMs: startMs + 1.4,
      firstEventMs,
      lastEventMs: firstEventMs + 18_000,
      ...(completed ? { endMs: firstEventMs + 18_003 } : {}),
      promptTokens: contextTokens,
      cachedTokens: contextTokens - 16,
      outputTokens: completed ? MAX_OUTPUT : 2211,
      firstEventTokens: 1,
      events: 2400,
      completed,
      finishReason: completed ? 'length' : 'cancelled',
    }
  })
  return {
    contextTokens,
    concurrency,
    repeat: 1,
    attempt,
    status: row.status,
    flags: row.flags,
    figures,
    ...(row.reason === undefined ? {} : { reason: row.reason }),
    startedAt: new Date(Date.now() - 62_000).toISOString(),
    finishedAt: new Date(Date.now() - 20_000).toISOString(),
    phaseSeconds: { barrier: 0.4, warmup: 1.2, scout: 2.1, fill: 3.3, window: 30, drain: 0.6 },
    windowOpenMs: 7000,
    windowCloseMs: 37_000,
    series,
    requests,
  }
}
