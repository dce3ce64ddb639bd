import type { RunRow } from '../../../shared/contract/runs.ts'
import type { RunState } from '../../../shared/model/states.ts'

/** What is looked for. An empty list lets everything through. */
export interface RunFilter {
  search: string
  hosts: readonly string[]
  models: readonly string[]
  tags: readonly string[]
  states: readonly RunState[]
}

export const NO_FILTER: RunFilter = { search: '', hosts: [], models: [], tags: [], states: [] }

export const isFiltered = (filter: RunFilter): boolean =>
  filter.search.trim() !== '' || filter.hosts.length + filter.models.length + filter.tags.length + filter.states.length > 0

/** Rows never change in place (a change is a new row), so their text is made once. */
const texts = new WeakMap<RunRow, string>()

function textOf(run: RunRow): string {
  const known = texts.get(run)
  if (known !== undefined) return known
  const parts = [run.name, run.model, run.host, run.state, run.note, run.demo ? 'demo' : '', run.id, ...run.tags]
  const text = parts.filter(Boolean).join('\n').toLowerCase()
  texts.set(run, text)
  return text
}

/** Every word has to occur somewhere in the run. */
export function filterRuns(runs: readonly RunRow[], filter: RunFilter): RunRow[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean)
  const [hosts, models, tags, states] = [
    new Set(filter.hosts),
    new Set(filter.models),
    new Set(filter.tags),
    new Set<string>(filter.states),
  ]
  return runs.filter(
    (run) =>
      (hosts.size === 0 || hosts.has(run.host ?? '')) &&
      (models.size === 0 || models.has(run.model ?? '')) &&
      (states.size === 0 || states.has(run.state)) &&
      (tags.size === 0 || run.tags.some((tag) => tags.has(tag))) &&
      words.every((word) => textOf(run).includes(word)),
  )
}

export interface Choice {
  value: string
  count: number
}

/** What there is to filter by, the most frequent first. */
export function choicesOf(runs: readonly RunRow[], read: (run: RunRow) => readonly string[]): Choice[] {
  const counts = new Map<string, number>()
  for (const run of runs) for (const value of read(run)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || a.value.localeCompare(b.value))
}
