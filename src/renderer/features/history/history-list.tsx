import { Button, SegmentedControl } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { History, SearchX, Trash2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { RunRow, RunsNow } from '../../../shared/contract/runs.ts'
import { countText } from '../../../shared/format/index.ts'
import { useCommands } from '../../app/commands-context.ts'
import { Screen } from '../../app/screen.tsx'
import { useApp, useClient, useRuns, useSettings } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { FeedGate } from '../../ui/feed-gate.tsx'
import { Loading } from '../../ui/loading.tsx'
import { FirstRunActions } from '../hosts/first-run-actions.tsx'
import classes from './history.module.css'
import { useRunActions } from './run-actions.ts'
import { RunDetailsDialog } from './run-details-dialog.tsx'
import { type ListFilter, NO_FILTER } from './run-query.ts'
import { SelectionBar } from './selection-bar.tsx'
import { FilterBar } from './table/filter-bar.tsx'
import { RunTableView } from './table/run-table.tsx'
import { useRunTable } from './table/use-run-table.ts'
import { useKept } from './use-kept.ts'

/** Keys of one word are one question to the engine. */
const TYPING_MS = 120
const CHOICES_MS = 2000

export function HistoryList({ search }: { search: string | undefined }) {
  const { runs } = useApp()
  const feed = useRuns()
  const [view, setView] = useState<'runs' | 'trash'>('runs')
  const isTrash = view === 'trash'
  return (
    <Screen
      title="History"
      layout="fill"
      context={
        <SegmentedControl
          aria-label="View"
          data={[
            { value: 'runs', label: 'Runs' },
            {
              value: 'trash',
              label: feed.value === undefined || feed.value.trashed === 0 ? 'Trash' : `Trash (${countText(feed.value.trashed)})`,
            },
          ]}
          value={view}
          onChange={(next) => {
            setView(next === 'trash' ? 'trash' : 'runs')
          }}
        />
      }
    >
      <FeedGate feed={feed} what="the runs" onRetry={runs.ask}>
        {(now) => <List key={view} now={now} isTrash={isTrash} search={isTrash ? undefined : search} />}
      </FeedGate>
    </Screen>
  )
}

interface ListProps {
  now: RunsNow
  isTrash: boolean
  search: string | undefined
}

function List({ now, isTrash, search }: ListProps) {
  const client = useClient()
  const [filter, setFilter] = useState<ListFilter>({ ...NO_FILTER, search: search ?? '' })
  // The field follows the fingers; the list comes right after.
  const [settled] = useDebouncedValue(filter, TYPING_MS)
  const view = useRunTable({ filter: settled, isTrash, version: now.version })
  const actions = useRunActions(view.pages.reload)
  const searchRef = useRef<HTMLInputElement>(null)
  const [renaming, setRenaming] = useState<string>()
  const [detailed, setDetailed] = useState<RunRow>()
  const baselineRunId = useSettings()?.baselineRunId
  // Counted over the whole history: not at every cell of a sweep that is going on.
  const [choicesOf] = useDebouncedValue(now.version, CHOICES_MS)
  const asked = useQuery(`choices ${String(isTrash)} ${String(choicesOf)}`, (signal) =>
    client.runs.choices.query({ trashed: isTrash }, { signal }),
  )
  const choices = useKept(asked.value)
  const knownTags = useMemo(() => choices?.tags.map(({ value }) => value) ?? [], [choices])
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
  const { error, counts, reload } = view.pages
  const problem = error && (
    <div className={classes.error}>
      <ErrorNotice error={error} onRetry={reload} />
    </div>
  )
  if (counts === undefined) return problem ?? <Loading what="the runs" />
  if (counts.all === 0) return isTrash ? <EmptyTrash /> : <NoRuns />
  return (
    <>
      {problem}
      <FilterBar choices={choices} filter={filter} onFilter={setFilter} searchRef={searchRef} view={view} />
      {counts.matching === 0 ? (
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
      <SelectionBar selected={view.selected} isTrash={isTrash} actions={actions} onClear={view.clearSelection} />
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
