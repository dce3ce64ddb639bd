import { saneIsoTime } from '../../../shared/format/index.ts'
import type { RunState } from '../../../shared/model/states.ts'
import type { Database } from '../database.ts'
import type { RunSummary } from '../types.ts'

export interface SummaryRow {
  id: string
  name: string
  state: RunState
  demo: number
  created_at: string
  started_at: string | null
  finished_at: string | null
  host_name: string | null
  model: string | null
  note: string | null
  trashed_at: string | null
  cells_done: number
  cells_total: number
  /** Separated by TAG_END, which no tag has; null without tags. */
  tags: string | null
}

const TAG_END = '\u001f'
export const TAGS = '(SELECT group_concat(tag, char(31) ORDER BY rowid) FROM tags WHERE run_id = runs.id)'
export const COLUMNS = `id, name, state, demo, created_at, started_at, finished_at, host_name, model, note, trashed_at, cells_done, cells_total,
  ${TAGS} AS tags`
export const NEWEST_FIRST = 'ORDER BY created_at DESC, rowid DESC'

/** A range and not a function of the id, so that the index finds it; no character comes after the last one. */
const MATCHES = { id: 'id = ?', name: 'name = ?', prefix: 'id >= ? AND id < ? || char(0x10ffff)' } as const
type MatchBy = keyof typeof MATCHES

function matching(by: MatchBy, text: string, trashed?: boolean): { sql: string; values: string[] } {
  const place = trashed === undefined ? '' : trashed ? ' AND trashed_at IS NOT NULL' : ' AND trashed_at IS NULL'
  return { sql: `${MATCHES[by]}${place}`, values: by === 'prefix' ? [text, text] : [text] }
}

/** The newest runs whose id, name or id prefix is this; without `trashed` those in the trash too, for `restore`. */
export function matchSummaries(database: Database, by: MatchBy, text: string, limit: number, trashed?: boolean): RunSummary[] {
  const { sql, values } = matching(by, text, trashed)
  return database
    .all<SummaryRow>(`SELECT ${COLUMNS} FROM runs WHERE ${sql} ${NEWEST_FIRST} LIMIT ?`, ...values, limit)
    .map(toSummary)
}

export function countMatches(database: Database, by: MatchBy, text: string, trashed?: boolean): number {
  const { sql, values } = matching(by, text, trashed)
  return database.get<{ count: number }>(`SELECT count(*) AS count FROM runs WHERE ${sql}`, ...values)?.count ?? 0
}

export function toSummary(row: SummaryRow): RunSummary {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    demo: row.demo === 1,
    createdAt: row.created_at,
    startedAt: row.started_at === null ? undefined : saneIsoTime(row.started_at),
    finishedAt: row.finished_at === null ? undefined : saneIsoTime(row.finished_at),
    host: row.host_name ?? undefined,
    model: row.model ?? undefined,
    tags: row.tags?.split(TAG_END) ?? [],
    note: row.note ?? undefined,
    cellsDone: row.cells_done,
    cellsTotal: row.cells_total,
    trashed: row.trashed_at !== null,
  }
}
