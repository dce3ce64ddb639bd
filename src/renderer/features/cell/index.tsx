import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

export function CellScreen({ route }: ScreenProps<'cell'>) {
  return (
    <Screen title="Cell">
      <EmptyState title="Cell" text={JSON.stringify(route)} />
    </Screen>
  )
}
