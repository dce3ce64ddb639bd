import type { Plan } from '../../shared/model/plan.ts'
import type { RunState } from '../../shared/model/states.ts'
import type { Database } from './database.ts'
import { readTags } from './load-run-parts.ts'
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
  plan: string
}

const COLUMNS = 'id, name, state, demo, created_at, started_at, finished_at, host_name, model, note, trashed_at, plan'
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
  return database.all<SummaryRow>(sql, ...values).map((row) => toSummary(database, row))
}

/** Runs whose id, name or id prefix is this; trashed ones too, for `restore`. */
export function matchSummaries(database: Database, by: 'id' | 'name' | 'prefix', text: string): RunSummary[] {
  const condition = { id: 'id = ?', name: 'name = ?', prefix: 'substr(id, 1, length(?)) = ?' }[by]
  const values = by === 'prefix' ? [text, text] : [text]
  return database
    .all<SummaryRow>(`SELECT ${COLUMNS} FROM runs WHERE ${condition} ${NEWEST_FIRST}`, ...values)
    .map((row) => toSummary(database, row))
}

function toSummary(database: Database, row: SummaryRow): RunSummary {
  const { done, total } = countCells(database, row)
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    demo: row.demo === 1,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
    host: row.host_name ?? undefined,
    model: row.model ?? undefined,
    tags: readTags(database, row.id),
    note: row.note ?? undefined,
    cellsDone: done,
    cellsTotal: total,
    trashed: row.trashed_at !== null,
  }
}

/** A cell is done when each of its repeats has ended with a status of its own. */
function countCells(database: Database, row: SummaryRow): { done: number; total: number } {
  const plan = JSON.parse(row.plan) as Plan
  const done = database.all(
    `SELECT 1 FROM outcomes WHERE run_id = ? AND status NOT IN ('cancelled', 'pending')
     GROUP BY context_tokens, concurrency HAVING count(DISTINCT repeat) >= ?`,
    row.id,
    plan.repeats,
  ).length
  return { done, total: plan.contexts.length * plan.concurrency.length }
}
