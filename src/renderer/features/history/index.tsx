import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

export function HistoryScreen({ route }: ScreenProps<'history'>) {
  return (
    <Screen title="History">
      <EmptyState title="History" text={JSON.stringify(route)} />
    </Screen>
  )
}
