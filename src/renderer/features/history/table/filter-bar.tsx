import { ActionIcon, Button, Menu, TextInput, Tooltip } from '@mantine/core'
import { Columns3, Search, X } from 'lucide-react'
import { type RefObject, useMemo } from 'react'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import { countText } from '../../../../shared/format/index.ts'
import { RUN_STATES, type RunState } from '../../../../shared/model/states.ts'
import { CopyMenu } from '../../../ui/copy-menu.tsx'
import { choicesOf, isFiltered, NO_FILTER, type RunFilter } from '../filter-runs.ts'
import { RUN_STATE_TEXTS, runsAsMarkdown, runsAsTsv } from '../run-texts.ts'
import classes from './bar.module.css'
import { COLUMNS, type ColumnId } from './columns.ts'
import { FilterMenu } from './filter-menu.tsx'
import type { RunTable } from './use-run-table.ts'

export interface FilterBarProps {
  /** All runs of the view, before filtering. */
  all: readonly RunRow[]
  filter: RunFilter
  onFilter: (filter: RunFilter) => void
  searchRef: RefObject<HTMLInputElement | null>
  view: RunTable
}

export const MOST_SEARCH = 200

export function FilterBar({ all, filter, onFilter, searchRef, view }: FilterBarProps) {
  const choices = useMemo(
    () => ({
      hosts: choicesOf(all, (run) => (run.host === undefined ? [] : [run.host])),
      models: choicesOf(all, (run) => (run.model === undefined ? [] : [run.model])),
      tags: choicesOf(all, (run) => run.tags),
      states: choicesOf(all, (run) => [run.state]),
    }),
    [all],
  )
  const set = (change: Partial<RunFilter>) => {
    onFilter({ ...filter, ...change })
  }
  const { rows, selected } = view
  const copied = () => (selected.length > 0 ? selected : rows.map((row) => row.original))
  return (
    <div className={classes.bar}>
      <TextInput
        ref={searchRef}
        className={classes.search ?? ''}
        type="search"
        aria-label="Search runs"
        placeholder="Search name, model, host, tag, note"
        maxLength={MOST_SEARCH}
        leftSection={<Search size={14} aria-hidden />}
        value={filter.search}
        onChange={(event) => {
          set({ search: event.currentTarget.value })
        }}
      />
      <FilterMenu
        label="Host"
        choices={choices.hosts}
        chosen={filter.hosts}
        onChange={(hosts) => {
          set({ hosts })
        }}
      />
      <FilterMenu
        label="Model"
        choices={choices.models}
        chosen={filter.models}
        onChange={(models) => {
          set({ models })
        }}
        textOf={shortModel}
      />
      <FilterMenu
        label="Tag"
        choices={choices.tags}
        chosen={filter.tags}
        onChange={(tags) => {
          set({ tags })
        }}
      />
      <FilterMenu
        label="State"
        choices={choices.states}
        chosen={filter.states}
        onChange={(states) => {
          set({ states: RUN_STATES.filter((state) => states.includes(state)) })
        }}
        textOf={(state) => RUN_STATE_TEXTS[state as RunState].word}
      />
      {isFiltered(filter) && (
        <Tooltip label="Show everything again">
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            aria-label="Show everything again"
            onClick={() => {
              onFilter(NO_FILTER)
            }}
          >
            <X size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      <span className={classes.shown} role="status">
        {rows.length === all.length
          ? `${countText(all.length)} run${all.length === 1 ? '' : 's'}`
          : `${countText(rows.length)} of ${countText(all.length)}`}
      </span>
      <span className={classes.end}>
        <ColumnMenu view={view} />
        <CopyMenu
          what={selected.length > 0 ? `${countText(selected.length)} selected` : 'the list'}
          markdown={() => runsAsMarkdown(copied())}
          tsv={() => runsAsTsv(copied())}
        />
      </span>
    </div>
  )
}

export const shortModel = (model: string) => model.split('/').findLast((part) => part !== '') ?? model

function ColumnMenu({ view }: { view: RunTable }) {
  const { columnVisibility, showColumn } = view
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<Columns3 size={14} aria-hidden />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Columns that are shown</Menu.Label>
        {(Object.keys(COLUMNS) as ColumnId[])
          .filter((id) => !COLUMNS[id].isFixed)
          .map((id) => {
            const isShown = columnVisibility[id] ?? true
            return (
              <Menu.Item
                key={id}
                role="menuitemcheckbox"
                aria-checked={isShown}
                leftSection={<span className={classes.check}>{isShown ? '✓' : ''}</span>}
                onClick={() => {
                  showColumn(id, !isShown)
                }}
              >
                {COLUMNS[id].title}
              </Menu.Item>
            )
          })}
      </Menu.Dropdown>
    </Menu>
  )
}
