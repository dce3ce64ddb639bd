import { Checkbox } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type CSSProperties, useEffect, useMemo, useRef } from 'react'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import type { RunActions } from '../run-actions.ts'
import { COLUMNS, type ColumnId } from './columns.ts'
import { RunLine } from './run-line.tsx'
import classes from './table.module.css'
import { useTableKeys } from './use-table-keys.ts'
import type { RunTable } from './use-run-table.ts'

const ROW_PX = 36

interface RunTableViewProps {
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
  const { pages, count, selection, columnVisibility, sorting } = view
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    getItemKey: (index) => pages.rowAt(index)?.id ?? index,
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
  const items = virtual.getVirtualItems()
  const { key, want } = pages
  // Another list begins at its beginning.
  const shownKey = useRef(key)
  useEffect(() => {
    if (shownKey.current === key) return
    shownKey.current = key
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [key])
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => {
    want(from, to)
  }, [want, from, to])
  return (
    <div
      ref={scroller}
      className={classes.scroll}
      role="grid"
      aria-label={isTrash ? 'Runs in the trash' : 'Runs'}
      aria-rowcount={count + 1}
      aria-colcount={shown.length + 2}
      aria-multiselectable="true"
      style={style}
      onKeyDown={keys.onKeyDown}
    >
      <div className={classes.head} role="row" aria-rowindex={1}>
        <div role="columnheader" className={classes.tick}>
          <Checkbox
            aria-label="Select every run of the list"
            checked={count > 0 && selection.size >= count}
            indeterminate={selection.size > 0 && selection.size < count}
            onChange={(event) => {
              if (event.currentTarget.checked) void view.selectAll()
              else view.clearSelection()
            }}
          />
        </div>
        {shown.map((id) => {
          const direction = sorting.order === id ? (sorting.isDescending ? 'descending' : 'ascending') : 'none'
          return (
            <div key={id} role="columnheader" aria-sort={direction} className={classes.headCell} data-column={id}>
              <button
                type="button"
                className={classes.sort}
                onClick={() => {
                  view.sortBy(id)
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
        {items.map((item) => {
          const run = pages.rowAt(item.index)
          if (run === undefined) return <WaitingLine key={item.key} index={item.index} top={item.start} />
          return (
            <RunLine
              key={run.id}
              run={run}
              index={item.index}
              top={item.start}
              columns={shown}
              isFocus={keys.focus === item.index}
              isSelected={selection.has(run.id)}
              isBaseline={baselineRunId === run.id}
              isTrash={isTrash}
              isRenaming={renaming === run.id}
              actions={actions}
              onFocus={keys.setFocus}
              onTick={view.toggle}
              onRenaming={onRenaming}
              onDetails={onDetails}
            />
          )
        })}
      </div>
    </div>
  )
}

/** A row that is on its way. */
function WaitingLine({ index, top }: { index: number; top: number }) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-busy="true"
      className={classes.row}
      style={{ transform: `translateY(${String(top)}px)` }}
    >
      <div role="gridcell" className={classes.tick} />
      <div role="gridcell" className={classes.waiting}>
        …
      </div>
    </div>
  )
}
