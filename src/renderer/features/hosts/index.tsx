import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

export function HostsScreen({ route }: ScreenProps<'hosts'>) {
  return (
    <Screen title="Hosts">
      <EmptyState title="Hosts" text={JSON.stringify(route)} />
    </Screen>
  )
}
