import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

export function ReportScreen({ route }: ScreenProps<'report'>) {
  return (
    <Screen title="Report">
      <EmptyState title="Report" text={JSON.stringify(route)} />
    </Screen>
  )
}
