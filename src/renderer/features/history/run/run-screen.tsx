import { Screen } from '../../../app/screen.tsx'

export function RunScreen({ runId }: { runId: string }) {
  return <Screen title="Run">{runId}</Screen>
}
