import type { ScreenProps } from '../../app/screens.ts'
import { LiveScreen } from './live/live-screen.tsx'
import { PlanScreen } from './plan/plan-screen.tsx'

/** Without a run the plan of a new one; with one its grid. */
export function SweepScreen({ route }: ScreenProps<'sweep'>) {
  const { runId, host, server } = route
  return runId === undefined ? (
    <PlanScreen key={`${host ?? ''} ${server ?? ''}`} host={host} server={server} />
  ) : (
    <LiveScreen key={runId} runId={runId} />
  )
}
