import { Checkbox } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type CSSProperties, useMemo, useRef } from 'react'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import type { RunActions } from '../run-actions.ts'
import { COLUMNS, type ColumnId } from './columns.ts'
import { RunLine } from './run-line.tsx'
import classes from './table.module.css'
import { useTableKeys } from './use-table-keys.ts'
import type { RunTable } from './use-run-table.ts'

const ROW_PX = 36

export interface RunTableViewProps {
  view: RunTable
  actions: RunActions
  isTrash: boolean
  baselineRunId: string | undefined
  /** The run whose name is a field now. */
  renaming: string | undefined
  onRenaming: (runId: string | undefined) => void
  onDetails: (run: RunRow) => void
}

/** Only the rows in sight are in the page. */
export function RunTableView({ view, actions, isTrash, baselineRunId, renaming, onRenaming, onDetails }: RunTableViewProps) {
  const { table, rows, rowSelection, setRowSelection, columnVisibility, sorting } = view
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  const keys = useTableKeys({
    view,
    actions,
    isTrash,
    scroller,
    scrollTo: (index) => {
      virtual.scrollToIndex(index)
    },
    rowPx: ROW_PX,
    onRenaming,
  })
  const shown = (Object.keys(COLUMNS) as ColumnId[]).filter((id) => columnVisibility[id] ?? true)
  const style = useMemo(
    () => ({ '--columns': `36px ${shown.map((id) => COLUMNS[id].width).join(' ')} 36px` }) as CSSProperties,
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the list is made anew each time, its text is what counts
    [shown.join(' ')],
  )
  const sort = sorting[0]
  const chosen = rows.reduce((count, row) => count + (row.id in rowSelection ? 1 : 0), 0)
  return (
    <div
      ref={scroller}
      className={classes.scroll}
      role="grid"
      aria-label={isTrash ? 'Runs in the trash' : 'Runs'}
      aria-rowcount={rows.length + 1}
      aria-colcount={shown.length + 2}
      aria-multiselectable="true"
      style={style}
      onKeyDown={keys.onKeyDown}
    >
      <div className={classes.head} role="row" aria-rowindex={1}>
        <div role="columnheader" className={classes.tick}>
          <Checkbox
            aria-label="Select every run that is shown"
            checked={rows.length > 0 && chosen === rows.length}
            indeterminate={chosen > 0 && chosen < rows.length}
            onChange={(event) => {
              setRowSelection(event.currentTarget.checked ? Object.fromEntries(rows.map((row) => [row.id, true])) : {})
            }}
          />
        </div>
        {shown.map((id) => {
          const direction = sort?.id === id ? (sort.desc ? 'descending' : 'ascending') : 'none'
          return (
            <div key={id} role="columnheader" aria-sort={direction} className={classes.headCell} data-column={id}>
              <button
                type="button"
                className={classes.sort}
                onClick={() => {
                  table.getColumn(id)?.toggleSorting()
                }}
              >
                {COLUMNS[id].title}
                {direction === 'ascending' && <ArrowUp size={12} aria-hidden />}
                {direction === 'descending' && <ArrowDown size={12} aria-hidden />}
              </button>
            </div>
          )
        })}
        <div role="columnheader">
          <span className="visually-hidden">More</span>
        </div>
      </div>
      <div className={classes.rows} style={{ height: virtual.getTotalSize() }} role="rowgroup">
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          return (
            <RunLine
              key={row.id}
              run={row.original}
              index={item.index}
              top={item.start}
              columns={shown}
              isFocus={keys.focus === item.index}
              isSelected={row.id in rowSelection}
              isBaseline={baselineRunId === row.id}
              isTrash={isTrash}
              isRenaming={renaming === row.id}
              actions={actions}
              onFocus={keys.setFocus}
              onTick={row.getToggleSelectedHandler()}
              onRenaming={onRenaming}
              onDetails={onDetails}
            />
          )
        })}
      </div>
    </div>
  )
}
