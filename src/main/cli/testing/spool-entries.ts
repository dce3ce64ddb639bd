import type { Attempt, CellFigures } from '../../../shared/model/cell.ts'
import { type SpoolEntry, type SpoolLine, spoolLineSchema } from '../../../shared/model/spool.ts'

export const START_MS = Date.parse('2026-03-01T10:00:00.000Z')

/** Numbered and stamped as a driver would: one line a second. */
export function numbered(entries: SpoolEntry[], firstLine = 1): SpoolLine[] {
  return entries.map((entry, index) =>
    spoolLineSchema.parse({ ...entry, n: firstLine + index, t: START_MS + index * 1000, m: index * 1000 }),
  )
}

export const helloEntry = (runId: string): SpoolEntry => ({
  kind: 'hello',
  runId,
  epoch: 1,
  place: 'host',
  driverVersion: '0.1.0',
  nodeVersion: 'v24.0.0',
  hostName: 'lab',
  pid: 4711,
})

export const factsEntry = (model = 'Qwen/Qwen3.5-2B'): SpoolEntry => ({
  kind: 'facts',
  facts: {
    name: 'vllm',
    version: '0.33.0',
    servedModel: 'qwen',
    model,
    maxModelLen: 262_144,
    kvTokens: 1_048_576,
    kvTokensSource: 'kv_cache_size_tokens',
    capabilities: { metrics: true, tokenize: true },
  },
})

export function plannedEntry(contexts: number[], levels: number[], over: [number, number][] = []): SpoolEntry {
  const isOver = (contextTokens: number, concurrency: number) => over.some(([c, l]) => c === contextTokens && l === concurrency)
  const cells = contexts.flatMap((contextTokens) =>
    levels.map((concurrency) => ({
      contextTokens,
      concurrency,
      repeat: 1,
      verdict: isOver(contextTokens, concurrency) ? ('over_capacity' as const) : ('run' as const),
    })),
  )
  return { kind: 'planned', contexts, prefillContexts: [], cells, estimateSeconds: 120 }
}

export function attemptEntry(
  contextTokens: number,
  concurrency: number,
  figures: CellFigures = { totalTokensPerSecond: 100 * concurrency, ttftMs: 80, timeBetweenTokensMs: 10 },
  change: Partial<Attempt> = {},
): SpoolEntry {
  return {
    kind: 'attempt',
    record: {
      contextTokens,
      concurrency,
      repeat: 1,
      attempt: 1,
      status: 'valid',
      flags: [],
      startedAt: '2026-03-01T10:00:00.000Z',
      finishedAt: '2026-03-01T10:00:31.000Z',
      figures,
      phaseSeconds: { fill: 1, window: 30 },
      series: [],
      requests: [],
      ...change,
    },
  }
}

export const prefillEntry = (contextTokens: number, ttftMs: number): SpoolEntry => ({
  kind: 'prefill',
  result: {
    contextTokens,
    status: 'valid',
    flags: [],
    source: 'scout',
    ttftMs,
    promptTokens: contextTokens,
    tokensPerSecond: contextTokens / (ttftMs / 1000),
    samples: [],
    startedAt: '2026-03-01T10:00:00.000Z',
    finishedAt: '2026-03-01T10:00:01.000Z',
    seconds: 1,
  },
})
