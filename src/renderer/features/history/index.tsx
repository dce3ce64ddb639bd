import type { ScreenProps } from '../../app/screens.ts'
import { HistoryList } from './history-list.tsx'
import { RunScreen } from './run/run-screen.tsx'

/** Without a run the list of all; with one its results. */
export function HistoryScreen({ route }: ScreenProps<'history'>) {
  if (route.runId !== undefined) return <RunScreen key={route.runId} runId={route.runId} />
  return <HistoryList key={route.search ?? ''} search={route.search} />
}
