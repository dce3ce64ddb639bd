import { EVENTS_KEPT, type SweepLog, TELEMETRY_KEPT_MS } from '../../shared/run/index.ts'
import type { Database } from './database.ts'
import { readRecent, readSamples } from './read-lines.ts'

const SAYING = ['hello', 'state', 'facts', 'planned', 'prompt', 'prefill', 'attempt', 'settled', 'end'] as const

/** Reads what the screen of a run shows besides the parts of its document. */
export function loadSweepLog(database: Database, id: string): SweepLog {
  const [last] = readRecent(database, id, ['sample'], 1)
  const [lastCell] = readRecent(database, id, ['cell', 'attempt', 'settled', 'end', 'hello'], 1)
  return {
    samples: last === undefined ? [] : readSamples(database, id, { fromMs: last.t - TELEMETRY_KEPT_MS }),
    lines: readRecent(database, id, SAYING, EVENTS_KEPT),
    ...(lastCell === undefined ? {} : { lastCell }),
  }
}
