import { EVENTS_KEPT, type SweepParts, TELEMETRY_KEPT_MS } from '../../../shared/run/index.ts'
import type { Store } from '../../store/index.ts'

const SAYING = ['hello', 'state', 'facts', 'planned', 'prefill', 'attempt', 'settled', 'end'] as const

/** Reads a run's parts. Throws not_found. */
export function readSweepParts(store: Pick<Store, 'runs'>, runId: string): SweepParts {
  const { runs } = store
  const document = runs.document(runId)
  const [last] = runs.recentLines(runId, ['sample'], 1)
  const lastCell = runs.recentLines(runId, ['cell', 'attempt', 'settled', 'end', 'hello'], 1)[0]
  return {
    document,
    outcomes: runs.outcomes(runId),
    planned: runs.planned(runId),
    prefills: runs.prefills(runId),
    samples: last === undefined ? [] : runs.samples(runId, { fromMs: last.t - TELEMETRY_KEPT_MS }),
    log: runs.recentLines(runId, SAYING, EVENTS_KEPT),
    ...(lastCell === undefined ? {} : { lastCell }),
  }
}
