import type { Attempt, CellFigures, PrefillResult } from '../../shared/model/cell.ts'
import { planSchema, type PlanInput } from '../../shared/model/plan.ts'
import { type SpoolEntry, type SpoolLine, spoolLineSchema } from '../../shared/model/spool.ts'
import type { NewRun } from './types.ts'

export const START_MS = Date.parse('2026-03-01T10:00:00.000Z')

/** Numbers and stamps entries as a driver would: one line a second. */
export function spoolLines(entries: SpoolEntry[], firstLine = 1): SpoolLine[] {
  return entries.map((entry, index) => {
    const n = firstLine + index
    return spoolLineSchema.parse({ ...entry, n, t: START_MS + n * 1000, m: (index + 1) * 1000 })
  })
}

export function hello(runId: string, epoch = 1): SpoolEntry {
  const versions = { driverVersion: '0.1.0', nodeVersion: 'v24.0.0' }
  return { kind: 'hello', runId, epoch, place: 'host', ...versions, hostName: 'lab', pid: 4711 }
}

export function attemptEntry(
  contextTokens: number,
  concurrency: number,
  change: Partial<Attempt> = {},
  figures: CellFigures = { totalTokensPerSecond: 100, outputTokens: 3000, completedRequests: 4, windowSeconds: 30 },
): SpoolEntry {
  const record: Attempt = {
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
    series: [{ second: 0, tokens: 100, events: 100 }],
    requests: [{ stream: 0, ordinal: 0, startMs: 0, outputTokens: 100, events: 100, completed: true }],
    ...change,
  }
  return { kind: 'attempt', record }
}

export function prefillEntry(contextTokens: number, change: Partial<PrefillResult> = {}): SpoolEntry {
  const sample = {
    ttftMs: 500,
    promptTokens: contextTokens,
    cachedTokens: 0,
    coldVerified: true,
    tokensPerSecond: contextTokens * 2,
  }
  const result: PrefillResult = {
    contextTokens,
    status: 'valid',
    flags: [],
    source: 'standalone',
    promptTokens: contextTokens,
    cachedTokens: 0,
    ttftMs: 500,
    tokensPerSecond: contextTokens * 2,
    samples: [sample],
    startedAt: '2026-03-01T10:00:00.000Z',
    finishedAt: '2026-03-01T10:00:01.000Z',
    seconds: 1.5,
    ...change,
  }
  return { kind: 'prefill', result }
}

export function plannedEntry(contexts: number[], concurrency: number[], repeats = 1): SpoolEntry {
  const cells = Array.from({ length: repeats }, (_, index) => index + 1).flatMap((repeat) =>
    contexts.flatMap((contextTokens) =>
      concurrency.map((level) => ({ contextTokens, concurrency: level, repeat, verdict: 'run' as const })),
    ),
  )
  return { kind: 'planned', contexts, prefillContexts: contexts.filter((context) => context > 0), cells, estimateSeconds: 60 }
}

export function newRun(id: string, plan: PlanInput, change: Partial<NewRun> = {}): NewRun {
  return { id, name: `run ${id}`, tags: [], plan: planSchema.parse(plan), host: { name: 'lab' }, demo: false, ...change }
}
