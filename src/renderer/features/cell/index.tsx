import { useClient } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { Button } from '@mantine/core'
import { contextLabel, countText } from '../../../shared/format/index.ts'
import { Screen } from '../../app/screen.tsx'
import { hrefOf } from '../../app/routes.ts'
import type { ScreenProps } from '../../app/screens.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Loading } from '../../ui/loading.tsx'
import { showDone, showProblem } from '../../ui/toasts.tsx'
import { CellDetail } from './cell-detail.tsx'
import classes from './cell.module.css'

export { CellDetail } from './cell-detail.tsx'

/** A cell on a page of its own: the address can be kept and passed on. */
export function CellScreen({ route }: ScreenProps<'cell'>) {
  const { runId, contextTokens, concurrency } = route
  const client = useClient()
  const run = useQuery(`document ${runId}`, () => client.runs.document.query({ runId }))
  const row = run.value?.cells.find((cell) => cell.contextTokens === contextTokens && cell.concurrency === concurrency)
  const back = (
    <Button component="a" variant="default" href={hrefOf({ screen: 'sweep', runId })}>
      Back to the grid
    </Button>
  )
  const remeasure = async () => {
    try {
      await client.sweeps.control.mutate({ runId, kind: 'remeasure', contextTokens, concurrency })
      showDone('It is measured again; the grid shows how far it is')
    } catch (error) {
      showProblem(error)
    }
  }
  const name = `${contextLabel(contextTokens)} × ${countText(concurrency)}`
  return (
    <Screen
      title="Cell"
      context={<>{[name, run.value?.name, run.value?.host?.name].filter(Boolean).join(' · ')}</>}
      actions={back}
    >
      {row && run.value ? (
        <div className={classes.page}>
          <CellDetail runId={runId} row={row} runName={run.value.name} onRemeasure={() => void remeasure()} />
        </div>
      ) : run.error ? (
        <ErrorNotice error={run.error} onRetry={run.reload} />
      ) : run.value ? (
        <EmptyState title="There is no such cell" text={`The plan of “${run.value.name}” has no ${name}.`} actions={back} />
      ) : (
        <Loading what="the cell" />
      )}
    </Screen>
  )
}
