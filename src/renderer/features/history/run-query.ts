import type { RunFilter } from '../../../shared/contract/runs.ts'

/** What the list is narrowed to; the engine does it. */
export type ListFilter = Omit<RunFilter, 'trashed'>

export const NO_FILTER: ListFilter = { search: '', hosts: [], models: [], tags: [], states: [] }

export const isFiltered = ({ search, hosts, models, tags, states }: ListFilter): boolean =>
  search.trim() !== '' || hosts.length + models.length + tags.length + states.length > 0
