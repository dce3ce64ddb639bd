import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

export function SweepScreen({ route }: ScreenProps<'sweep'>) {
  return (
    <Screen title="Sweep">
      <EmptyState title="Sweep" text={JSON.stringify(route)} />
    </Screen>
  )
}
