import type { HostView } from '../../shared/contract/hosts.ts'
import type { PromptsChange, PromptView } from '../../shared/contract/prompts.ts'
import { removeBy, upsertBy } from './reduce.ts'

export type HostsChange = { upsert: HostView } | { remove: string }

const hostId = (view: HostView) => view.host.name
export const reduceHosts = (hosts: HostView[], change: HostsChange): HostView[] =>
  'upsert' in change ? upsertBy(hosts, change.upsert, hostId) : removeBy(hosts, change.remove, hostId)

const promptId = (prompt: PromptView) => prompt.id
export const reducePrompts = (prompts: PromptView[], change: PromptsChange): PromptView[] =>
  'upsert' in change ? upsertBy(prompts, change.upsert, promptId) : removeBy(prompts, change.remove, promptId)
