import type { DemoView } from '../../shared/contract/app.ts'
import type { HostView } from '../../shared/contract/hosts.ts'
import type { PromptsChange, PromptView } from '../../shared/contract/prompts.ts'
import type { RunsNow } from '../../shared/contract/runs.ts'
import { createFeed, type FeedStore } from './feed.ts'
import { type HostsChange, reduceHosts, reducePrompts } from './lists.ts'
import { replace } from './reduce.ts'
import { createSettingsStore, type SettingsStore } from './settings.ts'
import type { Shell } from './shell.ts'
import type { EngineClient, Link } from './trpc.ts'

/** What every screen may use. Made once in main.tsx, handed down by a context. */
export interface AppState {
  client: EngineClient
  link: Link
  shell: Shell
  hosts: FeedStore<HostView[]>
  runs: FeedStore<RunsNow>
  prompts: FeedStore<PromptView[]>
  /** Told why a question that stood on the screen was taken away. Returns how to stop listening. */
  onPromptWithdrawn: (listener: (why: string) => void) => () => void
  demo: FeedStore<DemoView>
  settings: SettingsStore
}

export function createAppState({ link, shell }: { link: Link; shell: Shell }): AppState {
  const { client } = link
  const withdrawals = new Set<(why: string) => void>()
  return {
    client,
    link,
    shell,
    hosts: createFeed<HostView[], HostsChange>((on) => client.hosts.watch.subscribe(undefined, on), reduceHosts),
    runs: createFeed<RunsNow, RunsNow>((on) => client.runs.watch.subscribe(undefined, on), replace),
    prompts: createFeed<PromptView[], PromptsChange>(
      (on) =>
        client.prompts.watch.subscribe(undefined, {
          ...on,
          onData: (message) => {
            on.onData(message)
            const why = message.kind === 'change' && 'remove' in message.change ? message.change.why : undefined
            if (why !== undefined) for (const listener of withdrawals) listener(why)
          },
        }),
      reducePrompts,
    ),
    onPromptWithdrawn: (listener) => {
      withdrawals.add(listener)
      return () => void withdrawals.delete(listener)
    },
    demo: createFeed<DemoView, DemoView>((on) => client.app.watchDemo.subscribe(undefined, on), replace),
    settings: createSettingsStore(client),
  }
}
