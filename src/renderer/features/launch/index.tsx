import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

export function LaunchScreen({ route }: ScreenProps<'launch'>) {
  return (
    <Screen title="Launch">
      <EmptyState title="Launch" text={JSON.stringify(route)} />
    </Screen>
  )
}
