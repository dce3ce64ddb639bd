import { useApp } from '../state/context.ts'
import { useFeedStore } from '../state/use-feed.ts'
import type { Command } from './commands.ts'
import { navigate } from './use-route.ts'

/** Hosts and the newest runs (older ones are found in the history), findable beside the commands. */
export function usePaletteEntries(): Command[] {
  const { hosts, runs } = useApp()
  const hostNames = useFeedStore(hosts, (state) => state.value?.map((view) => view.host.name) ?? [])
  const runRows = useFeedStore(runs, (state) => state.value?.recent ?? [])
  return [
    ...hostNames.map((host) => ({
      id: `host.${host}`,
      title: host,
      section: 'Hosts',
      run: () => {
        navigate({ screen: 'hosts', host })
      },
    })),
    ...runRows.map((run) => ({
      id: `run.${run.id}`,
      title: run.name,
      section: 'Runs',
      keywords: [run.id, run.host, run.model, ...run.tags].join(' '),
      run: () => {
        navigate({ screen: 'history', runId: run.id })
      },
    })),
  ]
}
