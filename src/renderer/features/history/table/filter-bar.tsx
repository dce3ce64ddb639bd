import { ActionIcon, Button, Menu, TextInput, Tooltip } from '@mantine/core'
import { Columns3, Search, X } from 'lucide-react'
import type { RefObject } from 'react'
import type { RunChoices } from '../../../../shared/contract/runs.ts'
import { countText } from '../../../../shared/format/index.ts'
import { RUN_STATES, type RunState } from '../../../../shared/model/states.ts'
import { CopyMenu } from '../../../ui/copy-menu.tsx'
import { isFiltered, type ListFilter, NO_FILTER } from '../run-query.ts'
import { RUN_STATE_TEXTS, runsAsMarkdown, runsAsTsv } from '../run-texts.ts'
import classes from './bar.module.css'
import { COLUMNS, type ColumnId } from './columns.ts'
import { FilterMenu } from './filter-menu.tsx'
import type { RunTable } from './use-run-table.ts'

interface FilterBarProps {
  /** What there is to filter by; undefined until the engine has said it. */
  choices: RunChoices | undefined
  filter: ListFilter
  onFilter: (filter: ListFilter) => void
  searchRef: RefObject<HTMLInputElement | null>
  view: RunTable
}

const MOST_SEARCH = 200

const NOTHING: RunChoices = { hosts: [], models: [], tags: [], states: [] }

export function FilterBar({ choices = NOTHING, filter, onFilter, searchRef, view }: FilterBarProps) {
  const set = (change: Partial<ListFilter>) => {
    onFilter({ ...filter, ...change })
  }
  const { pages, count, all, selected } = view
  const copied = async () => (selected.length > 0 ? selected : pages.readAll())
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
        {count === all ? `${countText(all)} run${all === 1 ? '' : 's'}` : `${countText(count)} of ${countText(all)}`}
      </span>
      <span className={classes.end}>
        <ColumnMenu view={view} />
        <CopyMenu
          what={selected.length > 0 ? `${countText(selected.length)} selected` : 'the list'}
          markdown={async () => runsAsMarkdown(await copied())}
          tsv={async () => runsAsTsv(await copied())}
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
          .filter((id) => COLUMNS[id].isFixed !== true)
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
