import { Badge, Button, SegmentedControl } from '@mantine/core'
import { FileText, RotateCw, Star, StickyNote } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import { countText, durationText } from '../../../../shared/format/index.ts'
import type { RunDocument } from '../../../../shared/model/run.ts'
import { useCommands } from '../../../app/commands-context.ts'
import { Screen } from '../../../app/screen.tsx'
import { navigate } from '../../../app/use-route.ts'
import { useClient, useSettings } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { Workspace } from '../../sweep/live/workspace.tsx'
import { SweepFeedContext } from '../../sweep/state/sweep-feed.ts'
import { type RunActions, useRunActions } from '../run-actions.ts'
import { RunDetailsDialog } from '../run-details-dialog.tsx'
import { isGoing, tookSeconds } from '../run-texts.ts'
import { useKept } from '../use-kept.ts'
import { useRunRow } from '../use-run-row.ts'
import { RunStateText } from '../table/run-state-text.tsx'
import { feedOfDocument } from './run-feed.ts'
import { RunFacts } from './run-facts.tsx'
import classes from './run.module.css'

export function RunScreen({ runId }: { runId: string }) {
  const client = useClient()
  const row = useRunRow(runId)
  const choices = useQuery('choices', (signal) => client.runs.choices.query({ trashed: false }, { signal }))
  // Asked again when the run has changed: its name, its note, cells that were measured again.
  const query = useQuery(`${runId} ${JSON.stringify(row)}`, (signal) => client.runs.document.query({ runId }, { signal }))
  const run = useKept(query.value)
  const going = run !== undefined && isGoing(run.state)
  useEffect(() => {
    if (going) navigate({ screen: 'sweep', runId }, 'replace')
  }, [going, runId])
  if (run === undefined || row === undefined || going) {
    return (
      <Screen title="Run">
        {query.error === undefined ? <Loading what="the run" /> : <ErrorNotice error={query.error} onRetry={query.reload} />}
      </Screen>
    )
  }
  return <Run run={run} row={row} knownTags={choices.value?.tags.map(({ value }) => value) ?? []} onChanged={query.reload} />
}

interface RunProps {
  run: RunDocument
  row: RunRow
  knownTags: readonly string[]
  onChanged: () => void
}

function Run({ run, row, knownTags, onChanged }: RunProps) {
  const [view, setView] = useState<'results' | 'facts'>('results')
  const [isEditing, setEditing] = useState(false)
  const actions = useRunActions(onChanged)
  const { cellsDone, cellsTotal } = row
  const feed = useMemo(() => feedOfDocument(run, { cellsDone, cellsTotal }), [run, cellsDone, cellsTotal])
  const isBaseline = useSettings()?.baselineRunId === run.id
  useCommands([
    {
      id: 'run.report',
      title: 'Report of this run',
      section: 'Run',
      shortcuts: ['Mod+E'],
      run: () => {
        navigate({ screen: 'report', runId: run.id })
      },
    },
    {
      id: 'run.details',
      title: 'Name, tags and note',
      section: 'Run',
      shortcuts: ['F2'],
      run: () => {
        setEditing(true)
      },
    },
    {
      id: 'run.baseline',
      title: isBaseline ? 'Not the baseline any more' : 'Use as baseline',
      section: 'Run',
      run: () => void actions.setBaseline(isBaseline ? undefined : row),
    },
  ])
  return (
    <SweepFeedContext value={feed}>
      <Screen
        title="Run"
        layout="fill"
        context={
          <>
            {row.demo && <Badge className={classes.badge ?? ''}>Demo: simulated figures</Badge>}
            <strong className={classes.name} title={row.name}>
              {row.name}
            </strong>
          </>
        }
        actions={
          <Actions
            row={row}
            isBaseline={isBaseline}
            actions={actions}
            onEdit={() => {
              setEditing(true)
            }}
          />
        }
      >
        <div className={classes.screen}>
          <Head run={run} row={row} view={view} onView={setView} />
          {run.cells.length === 0 && view === 'results' ? (
            <EmptyState title="Nothing was measured" text={run.reason ?? 'The run ended before its first cell.'} />
          ) : view === 'results' ? (
            <Workspace />
          ) : (
            <RunFacts run={run} />
          )}
        </div>
        {isEditing && (
          <RunDetailsDialog
            run={row}
            knownTags={knownTags}
            onClose={() => {
              setEditing(false)
            }}
            onSaved={onChanged}
          />
        )}
      </Screen>
    </SweepFeedContext>
  )
}

interface ActionsProps {
  row: RunRow
  isBaseline: boolean
  actions: RunActions
  onEdit: () => void
}

function Actions({ row, isBaseline, actions, onEdit }: ActionsProps) {
  return (
    <>
      <Button variant="default" leftSection={<StickyNote size={14} aria-hidden />} onClick={onEdit}>
        Tags and note
      </Button>
      <Button
        variant="default"
        leftSection={<Star size={14} fill={isBaseline ? 'currentColor' : 'none'} aria-hidden />}
        aria-pressed={isBaseline}
        onClick={() => void actions.setBaseline(isBaseline ? undefined : row)}
      >
        Baseline
      </Button>
      {row.trashed && (
        <Button variant="default" onClick={() => void actions.restore([row])}>
          Put back from the trash
        </Button>
      )}
      {row.state === 'interrupted' && (
        <Button variant="default" leftSection={<RotateCw size={14} aria-hidden />} onClick={() => void actions.resume(row)}>
          Resume
        </Button>
      )}
      <Button
        leftSection={<FileText size={14} aria-hidden />}
        onClick={() => {
          navigate({ screen: 'report', runId: row.id })
        }}
      >
        Report
      </Button>
    </>
  )
}

interface HeadProps {
  run: RunDocument
  row: RunRow
  view: 'results' | 'facts'
  onView: (view: 'results' | 'facts') => void
}

/** What the run was, in one line; below it why it ended, and the note. */
function Head({ run, row, view, onView }: HeadProps) {
  const took = tookSeconds(row)
  return (
    <>
      <div className={classes.head}>
        <RunStateText state={run.state} unwatched={run.unwatched} />
        <span>
          {row.cellsDone === row.cellsTotal
            ? `${countText(row.cellsTotal)} cells`
            : `${countText(row.cellsDone)} of ${countText(row.cellsTotal)} cells`}
        </span>
        <span className={classes.what} title={row.model}>
          {[row.model, row.host].filter(Boolean).join(' on ')}
        </span>
        {row.startedAt !== undefined && <TimeText at={row.startedAt} />}
        {took !== undefined && <span>took {durationText(took)}</span>}
        {row.tags.map((tag) => (
          <span key={tag} className={classes.tag}>
            {tag}
          </span>
        ))}
        <SegmentedControl
          className={classes.views ?? ''}
          aria-label="What is shown"
          data={[
            { value: 'results', label: 'Results' },
            { value: 'facts', label: 'Facts' },
          ]}
          value={view}
          onChange={(next) => {
            onView(next === 'facts' ? 'facts' : 'results')
          }}
        />
      </div>
      {run.state !== 'finished' && run.reason !== undefined && <p className={classes.reason}>{run.reason}</p>}
      {row.note !== undefined && row.note !== '' && (
        <p className={classes.note} title={row.note}>
          {row.note}
        </p>
      )}
    </>
  )
}
