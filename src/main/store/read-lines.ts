import type { SpoolLine } from '../../shared/model/spool.ts'
import type { Outcome } from '../../shared/run/index.ts'
import type { Database } from './database.ts'

export type Sample = Extract<SpoolLine, { kind: 'sample' }>
export interface SampleRange {
  fromMs?: number
  toMs?: number
}

export function readSamples(
  database: Database,
  id: string,
  { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }: SampleRange = {},
): Sample[] {
  return database
    .all<{ json: string }>(
      "SELECT json FROM spool WHERE run_id = ? AND kind = 'sample' AND time_ms BETWEEN ? AND ? ORDER BY n",
      id,
      fromMs,
      toMs,
    )
    .map((row) => JSON.parse(row.json) as Sample)
}

/** Without the bulk of attempts, which SQLite takes out before it becomes JavaScript. */
export function readRecent(database: Database, id: string, kinds: readonly SpoolLine['kind'][], limit: number): SpoolLine[] {
  const lean = "json_set(json_remove(json, '$.record.rawEvents'), '$.record.series', json('[]'), '$.record.requests', json('[]'))"
  return database
    .all<{ json: string }>(
      `SELECT iif(kind = 'attempt', ${lean}, json) AS json FROM spool
       WHERE run_id = ? AND kind IN (${kinds.map(() => '?').join(', ')}) ORDER BY n DESC LIMIT ?`,
      id,
      ...kinds,
      limit,
    )
    .map((row) => JSON.parse(row.json) as SpoolLine)
    .reverse()
}

/** Lines of one kind in their order. They were validated before they were stored. */
export function ofKind<Kind extends SpoolLine['kind']>(
  database: Database,
  id: string,
  kind: Kind,
): Extract<SpoolLine, { kind: Kind }>[] {
  return database
    .all<{ json: string }>('SELECT json FROM spool WHERE run_id = ? AND kind = ? ORDER BY n', id, kind)
    .map((row) => JSON.parse(row.json) as Extract<SpoolLine, { kind: Kind }>)
}

export function readOutcomes(database: Database, id: string): Outcome[] {
  return database
    .all<{ summary: string }>('SELECT summary FROM outcomes WHERE run_id = ? ORDER BY n', id)
    .map((row) => JSON.parse(row.summary) as Outcome)
}
