import { saneIsoTime } from '../../shared/format/index.ts'
import type { RunState } from '../../shared/model/states.ts'
import type { Database } from './database.ts'
import type { RunSummary } from './types.ts'

interface SummaryRow {
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
const COLUMNS = `id, name, state, demo, created_at, started_at, finished_at, host_name, model, note, trashed_at, cells_done, cells_total,
  (SELECT group_concat(tag, char(31) ORDER BY rowid) FROM tags WHERE run_id = runs.id) AS tags`
const NEWEST_FIRST = 'ORDER BY created_at DESC, rowid DESC'

export function listSummaries(database: Database, filter: { search?: string; trashed?: boolean } = {}): RunSummary[] {
  const conditions = [filter.trashed === true ? 'trashed_at IS NOT NULL' : 'trashed_at IS NULL']
  const words = (filter.search ?? '').split(/\s+/).filter((word) => word !== '')
  const values: string[] = []
  for (const word of words) {
    const like = "LIKE ? ESCAPE '\\'"
    conditions.push(
      `(name ${like} OR host_name ${like} OR model ${like} OR note ${like}
        OR EXISTS (SELECT 1 FROM tags WHERE run_id = runs.id AND tag ${like}))`,
    )
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
    values.push(...Array.from({ length: 5 }, () => pattern))
  }
  const sql = `SELECT ${COLUMNS} FROM runs WHERE ${conditions.join(' AND ')} ${NEWEST_FIRST}`
  return database.all<SummaryRow>(sql, ...values).map(toSummary)
}

/** Runs whose id, name or id prefix is this; trashed ones too, for `restore`. */
export function matchSummaries(database: Database, by: 'id' | 'name' | 'prefix', text: string): RunSummary[] {
  const condition = { id: 'id = ?', name: 'name = ?', prefix: 'substr(id, 1, length(?)) = ?' }[by]
  const values = by === 'prefix' ? [text, text] : [text]
  return database.all<SummaryRow>(`SELECT ${COLUMNS} FROM runs WHERE ${condition} ${NEWEST_FIRST}`, ...values).map(toSummary)
}

function toSummary(row: SummaryRow): RunSummary {
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
