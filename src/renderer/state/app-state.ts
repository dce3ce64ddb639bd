import type { Feed } from '../../shared/contract/changes.ts'
import type { DemoView } from '../../shared/contract/app.ts'
import type { HostView } from '../../shared/contract/hosts.ts'
import type { PromptView } from '../../shared/contract/prompts.ts'
import type { RunRow } from '../../shared/contract/runs.ts'
import { createFeed, type FeedHandlers, type FeedStore } from './feed.ts'
import { removeBy, replace, upsertBy } from './reduce.ts'
import { createSettingsStore, type SettingsStore } from './settings.ts'
import type { Shell } from './shell.ts'
import type { EngineClient, Link } from './trpc.ts'

/** What every screen may use. Made once in main.tsx, handed down by a context. */
export interface AppState {
  client: EngineClient
  link: Link
  shell: Shell
  hosts: FeedStore<HostView[]>
  runs: FeedStore<RunRow[]>
  prompts: FeedStore<PromptView[]>
  demo: FeedStore<DemoView>
  settings: SettingsStore
}

type HostsChange = { upsert: HostView } | { remove: string }
type RunsChange = { upsert: RunRow[] } | { remove: string[] }
type PromptsChange = { upsert: PromptView } | { remove: string }

export function createAppState({ link, shell }: { link: Link; shell: Shell }): AppState {
  const { client } = link
  return {
    client,
    link,
    shell,
    hosts: createFeed<HostView[], HostsChange>((on) => client.hosts.watch.subscribe(undefined, on), reduceHosts),
    runs: createFeed<RunRow[], RunsChange>((on) => client.runs.watch.subscribe(undefined, on), reduceRuns),
    prompts: createFeed<PromptView[], PromptsChange>((on) => client.prompts.watch.subscribe(undefined, on), reducePrompts),
    demo: createFeed<DemoView, DemoView>((on) => client.app.watchDemo.subscribe(undefined, on), replace),
    settings: createSettingsStore(client),
  }
}

const hostId = (view: HostView) => view.host.name
export const reduceHosts = (hosts: HostView[], change: HostsChange): HostView[] =>
  'upsert' in change ? upsertBy(hosts, change.upsert, hostId) : removeBy(hosts, change.remove, hostId)

const promptId = (prompt: PromptView) => prompt.id
export const reducePrompts = (prompts: PromptView[], change: PromptsChange): PromptView[] =>
  'upsert' in change ? upsertBy(prompts, change.upsert, promptId) : removeBy(prompts, change.remove, promptId)

/** Thousands of rows: one pass a message, new rows first as the engine sends them. */
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

export type { Feed, FeedHandlers }
