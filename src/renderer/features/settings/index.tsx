import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

export function SettingsScreen({ route }: ScreenProps<'settings'>) {
  return (
    <Screen title="Settings">
      <EmptyState title="Settings" text={JSON.stringify(route)} />
    </Screen>
  )
}
