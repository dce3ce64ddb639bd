import type { HostView } from '../../shared/contract/hosts.ts'
import type { PromptsChange, PromptView } from '../../shared/contract/prompts.ts'
import type { RunRow } from '../../shared/contract/runs.ts'
import { removeBy, upsertBy } from './reduce.ts'

export type HostsChange = { upsert: HostView } | { remove: string }
export type RunsChange = { upsert: RunRow[] } | { remove: string[] }

const hostId = (view: HostView) => view.host.name
export const reduceHosts = (hosts: HostView[], change: HostsChange): HostView[] =>
  'upsert' in change ? upsertBy(hosts, change.upsert, hostId) : removeBy(hosts, change.remove, hostId)

const promptId = (prompt: PromptView) => prompt.id
export const reducePrompts = (prompts: PromptView[], change: PromptsChange): PromptView[] =>
  'upsert' in change ? upsertBy(prompts, change.upsert, promptId) : removeBy(prompts, change.remove, promptId)

/** Thousands of rows: one pass a message; new rows go first, as the engine lists them. */
export function reduceRuns(runs: RunRow[], change: RunsChange): RunRow[] {
  if ('remove' in change) {
    const gone = new Set(change.remove)
    return runs.filter((run) => !gone.has(run.id))
  }
  const changed = new Map(change.upsert.map((run) => [run.id, run]))
  const kept = runs.map((run) => {
    const next = changed.get(run.id)
    changed.delete(run.id)
    return next ?? run
  })
  return changed.size === 0 ? kept : [...changed.values(), ...kept]
}
