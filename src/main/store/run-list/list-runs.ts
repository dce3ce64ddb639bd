import type { RunFilter, RunOrder, RunPage, RunQuery } from '../../../shared/contract/runs.ts'
import type { Database } from '../database.ts'
import type { RunSummary } from '../types.ts'
import { conditionsOf } from './conditions.ts'
import { COLUMNS, NEWEST_FIRST, type SummaryRow, TAGS, toSummary } from './run-summary.ts'

export interface ListOptions extends Partial<RunFilter> {
  /** Only those created before this run (its id). */
  before?: string
  limit?: number
}

/** Newest first. Going on with `before` costs the same wherever it stands: the index is entered there. */
export function listSummaries(database: Database, { before, limit, ...filter }: ListOptions = {}): RunSummary[] {
  const { sql, values } = conditionsOf(filter)
  const after = before === undefined ? '' : 'AND (created_at, rowid) < (SELECT created_at, rowid FROM runs WHERE id = ?)'
  return database
    .all<SummaryRow>(
      `SELECT ${COLUMNS} FROM runs WHERE ${sql} ${after} ${NEWEST_FIRST} LIMIT ?`,
      ...values,
      ...(before === undefined ? [] : [before]),
      limit ?? -1,
    )
    .map(toSummary)
}

/** What a column sorts by; the direction goes after each. Numbers within texts count as numbers. */
const ORDERS: Record<RunOrder, readonly string[]> = {
  started: ['coalesce(started_at, created_at)'],
  name: ['natural(name)'],
  state: ['state'],
  model: ['natural(model)'],
  host: ['natural(host_name)'],
  cells: ['cells_total', 'cells_done'],
  tags: [`natural(${TAGS})`],
  took: ['coalesce(julianday(finished_at) - julianday(started_at), -1)'],
  note: ['natural(note)'],
}

export function pageOfRuns(database: Database, { order, isDescending, offset, limit, ...filter }: RunQuery): RunPage {
  const { sql, values } = conditionsOf(filter)
  const by = ORDERS[order].map((column) => `${column} ${isDescending ? 'DESC' : 'ASC'}`).join(', ')
  // Which rows first: their tags are put together for those alone.
  const rows = database.all<SummaryRow>(
    `WITH page AS MATERIALIZED (SELECT rowid AS place FROM runs WHERE ${sql} ORDER BY ${by}, rowid DESC LIMIT ? OFFSET ?)
     SELECT ${COLUMNS} FROM page CROSS JOIN runs ON runs.rowid = page.place ORDER BY ${by}, runs.rowid DESC`,
    ...values,
    limit,
    offset,
  )
  return {
    rows: rows.map(toSummary),
    matching: countRuns(database, filter),
    all: countRuns(database, { trashed: filter.trashed }),
  }
}

export function countRuns(database: Database, filter: Partial<RunFilter>): number {
  const { sql, values } = conditionsOf(filter)
  return database.get<{ count: number }>(`SELECT count(*) AS count FROM runs WHERE ${sql}`, ...values)?.count ?? 0
}
