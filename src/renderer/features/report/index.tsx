import { Button } from '@mantine/core'
import { FileText, Grid3x3 } from 'lucide-react'
import type { RunRow } from '../../../shared/contract/runs.ts'
import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { navigate } from '../../app/use-route.ts'
import { useApp, useClient, useRuns } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { FeedGate } from '../../ui/feed-gate.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Panel } from '../../ui/panel.tsx'
import { FirstRunActions } from '../hosts/first-run-actions.tsx'
import { isGoing } from '../history/run-texts.ts'
import { useKept } from '../history/use-kept.ts'
import { useRunRow } from '../history/use-run-row.ts'
import { Exports } from './exports.tsx'
import { Preview } from './preview.tsx'
import classes from './report.module.css'
import { RunPicker } from './run-picker.tsx'

/** Without a run: that of the newest one that is over. */
export function ReportScreen({ route }: ScreenProps<'report'>) {
  const { runs } = useApp()
  const feed = useRuns()
  const runId = route.runId ?? newestOver(feed.value?.recent ?? [])?.id
  if (runId !== undefined && feed.value !== undefined) return <Report key={runId} runId={runId} />
  return (
    <Screen title="Report">
      <FeedGate feed={feed} what="the runs" onRetry={runs.ask}>
        {() => <NoRuns />}
      </FeedGate>
    </Screen>
  )
}

const newestOver = (runs: readonly RunRow[]) =>
  runs.find((run) => run.state === 'finished') ?? runs.find((run) => !isGoing(run.state)) ?? runs[0]

function Report({ runId }: { runId: string }) {
  const client = useClient()
  const row = useRunRow(runId)
  // What is measured while the report is shown, a new name or note: it is made again.
  const report = useQuery(`report ${runId} ${JSON.stringify(row)}`, (signal) =>
    client.reports.render.query({ runId, format: 'html' }, { signal }),
  )
  const made = useKept(report.value)
  const info = useQuery('info', (signal) => client.app.info.query(undefined, { signal }))
  const name = row?.name ?? 'the run'
  return (
    <Screen
      title="Report"
      layout="fill"
      context={
        <RunPicker
          chosen={row}
          onChoose={(id) => {
            navigate({ screen: 'report', runId: id }, 'replace')
          }}
        />
      }
      actions={
        <Button
          variant="default"
          leftSection={<Grid3x3 size={14} aria-hidden />}
          onClick={() => {
            navigate(row !== undefined && isGoing(row.state) ? { screen: 'sweep', runId } : { screen: 'history', runId })
          }}
        >
          Open the run
        </Button>
      }
    >
      <div className={classes.report}>
        <div className={classes.preview}>
          {row !== undefined && isGoing(row.state) && (
            <p className={classes.going}>This run is going on; the report shows what is measured so far, and says so.</p>
          )}
          {report.error !== undefined && <ErrorNotice error={report.error} onRetry={report.reload} />}
          {made === undefined && report.error === undefined && <Loading what="the report" />}
          {made !== undefined && <Preview html={made.data} name={name} />}
        </div>
        <Panel title="Export" note="what you see is what is written" fill className={classes.side}>
          <Exports runId={runId} fileName={made?.fileName} info={info.value} />
        </Panel>
      </div>
    </Screen>
  )
}

function NoRuns() {
  return (
    <EmptyState
      icon={FileText}
      title="Nothing to report yet"
      text="A report is made from a run: matrix, prefill, every measurement, hardware, engine and the launch command, in one file."
      actions={<FirstRunActions />}
    />
  )
}
