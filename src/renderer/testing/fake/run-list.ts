import type { Choice, RunChoices, RunOrder, RunPage, RunQuery, RunRow, RunsNow } from '../../../shared/contract/runs.ts'
import { isGoing } from '../../features/history/run-texts.ts'

/** The list as the engine gives it, of rows that are kept newest first. */
export function pageOf(rows: readonly RunRow[], query: Partial<RunQuery>): RunPage {
  const { search = '', trashed = false, hosts = [], models = [], tags = [], states = [] } = query
  const { order = 'started', isDescending = true, offset = 0, limit = 100 } = query
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const one = (list: readonly string[], value: string | undefined) => list.length === 0 || list.includes(value ?? '')
  const all = rows.filter((row) => row.trashed === trashed)
  const found = all.filter(
    (row) =>
      one(hosts, row.host) &&
      one(models, row.model) &&
      one(states, row.state) &&
      (tags.length === 0 || row.tags.some((tag) => tags.includes(tag))) &&
      words.every((word) => JSON.stringify(Object.values(row)).toLowerCase().includes(word)),
  )
  const direction = isDescending ? -1 : 1
  const sorted = found.sort((a, b) => {
    const [left, right] = [keyOf(a, order), keyOf(b, order)]
    return left < right ? -direction : left > right ? direction : 0
  })
  return { rows: sorted.slice(offset, offset + limit), matching: found.length, all: all.length }
}

function keyOf(row: RunRow, order: RunOrder): string | number {
  switch (order) {
    case 'started':
      return row.startedAt ?? row.createdAt
    case 'cells':
      return row.cellsTotal
    case 'took':
      return Date.parse(row.finishedAt ?? '') - Date.parse(row.startedAt ?? '') || -1
    case 'tags':
      return row.tags.join(' ')
    default:
      return row[order] ?? ''
  }
}

export function choicesOf(rows: readonly RunRow[], trashed: boolean): RunChoices {
  const counted = (read: (row: RunRow) => readonly (string | undefined)[]): Choice[] => {
    const counts = new Map<string, number>()
    for (const row of rows.filter((it) => it.trashed === trashed))
      for (const value of read(row)) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
    return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)
  }
  return {
    hosts: counted((row) => [row.host]),
    models: counted((row) => [row.model]),
    tags: counted((row) => row.tags),
    states: counted((row) => [row.state]),
  }
}

export function nowOf(rows: readonly RunRow[], version: number): RunsNow {
  const outside = rows.filter((row) => !row.trashed)
  return {
    version,
    count: outside.length,
    trashed: rows.length - outside.length,
    recent: outside.slice(0, 50),
    going: outside.filter((row) => isGoing(row.state)),
  }
}
