import { Button, SegmentedControl } from '@mantine/core'
import { History, SearchX, Trash2 } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import type { RunRow } from '../../../shared/contract/runs.ts'
import { useCommands } from '../../app/commands-context.ts'
import { Screen } from '../../app/screen.tsx'
import { useApp, useClient, useRuns, useSettings } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { FeedGate } from '../../ui/feed-gate.tsx'
import { FirstRunActions } from '../hosts/first-run-actions.tsx'
import { choicesOf, filterRuns, NO_FILTER, type RunFilter } from './filter-runs.ts'
import classes from './history.module.css'
import { useRunActions } from './run-actions.ts'
import { RunDetailsDialog } from './run-details-dialog.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { FilterBar } from './table/filter-bar.tsx'
import { RunTableView } from './table/run-table.tsx'
import { useRunTable } from './table/use-run-table.ts'
import { useKept } from './use-kept.ts'

const NONE: RunRow[] = []

export function HistoryList({ search }: { search: string | undefined }) {
  const { runs } = useApp()
  const client = useClient()
  const feed = useRuns()
  const [view, setView] = useState<'runs' | 'trash'>('runs')
  const isTrash = view === 'trash'
  const live = useMemo(() => feed.value?.filter((run) => !run.trashed), [feed.value])
  // The engine's feed leaves out what is in the trash; it is asked for, and again when the list has changed.
  const trash = useQuery(`trash ${String(live?.length)}`, (signal) => client.runs.list.query({ trashed: true }, { signal }))
  const actions = useRunActions(trash.reload)
  const trashed = useKept(trash.value) ?? NONE
  return (
    <Screen
      title="History"
      layout="fill"
      context={
        <SegmentedControl
          aria-label="View"
          data={[
            { value: 'runs', label: 'Runs' },
            { value: 'trash', label: trashed.length === 0 ? 'Trash' : `Trash (${String(trashed.length)})` },
          ]}
          value={view}
          onChange={(next) => {
            setView(next === 'trash' ? 'trash' : 'runs')
          }}
        />
      }
    >
      <FeedGate feed={feed} what="the runs" onRetry={runs.ask}>
        {() => (
          <>
            {isTrash && trash.error !== undefined && (
              <div className={classes.error}>
                <ErrorNotice error={trash.error} onRetry={trash.reload} />
              </div>
            )}
            <List
              key={view}
              all={(isTrash ? trashed : live) ?? NONE}
              isTrash={isTrash}
              actions={actions}
              search={isTrash ? undefined : search}
            />
          </>
        )}
      </FeedGate>
    </Screen>
  )
}

interface ListProps {
  all: RunRow[]
  isTrash: boolean
  actions: ReturnType<typeof useRunActions>
  search: string | undefined
}

function List({ all, isTrash, actions, search }: ListProps) {
  const [filter, setFilter] = useState<RunFilter>({ ...NO_FILTER, search: search ?? '' })
  // The field follows the fingers; the list comes right after.
  const settled = useDeferredValue(filter)
  const shown = useMemo(() => filterRuns(all, settled), [all, settled])
  const view = useRunTable(shown)
  const searchRef = useRef<HTMLInputElement>(null)
  const [renaming, setRenaming] = useState<string>()
  const [detailed, setDetailed] = useState<RunRow>()
  const baselineRunId = useSettings()?.baselineRunId
  const knownTags = useMemo(() => choicesOf(all, (run) => run.tags).map(({ value }) => value), [all])
  useCommands([
    {
      id: 'find',
      title: 'Search runs',
      section: 'History',
      shortcuts: ['Mod+F'],
      inFields: true,
      run: () => searchRef.current?.select(),
    },
  ])
  if (all.length === 0) return isTrash ? <EmptyTrash /> : <NoRuns />
  return (
    <>
      <FilterBar all={all} filter={filter} onFilter={setFilter} searchRef={searchRef} view={view} />
      {view.rows.length === 0 ? (
        <EmptyState
          icon={SearchX}
          title="No run matches"
          text="Every word of the search and every filter has to fit."
          actions={
            <Button
              variant="default"
              onClick={() => {
                setFilter(NO_FILTER)
              }}
            >
              Show all runs
            </Button>
          }
        />
      ) : (
        <RunTableView
          view={view}
          actions={actions}
          isTrash={isTrash}
          baselineRunId={baselineRunId}
          renaming={renaming}
          onRenaming={setRenaming}
          onDetails={setDetailed}
        />
      )}
      <SelectionBar
        selected={view.selected}
        isTrash={isTrash}
        actions={actions}
        onClear={() => {
          view.setRowSelection({})
        }}
      />
      {detailed !== undefined && (
        <RunDetailsDialog
          run={detailed}
          knownTags={knownTags}
          onClose={() => {
            setDetailed(undefined)
          }}
        />
      )}
    </>
  )
}

function EmptyTrash() {
  return <EmptyState icon={Trash2} title="The trash is empty" text="Runs that are moved here can be put back." />
}

function NoRuns() {
  return (
    <EmptyState
      icon={History}
      title="No run yet"
      text="Every sweep is kept here with its cells, figures and hardware: to look at again, to compare, to report."
      actions={<FirstRunActions />}
    />
  )
}
