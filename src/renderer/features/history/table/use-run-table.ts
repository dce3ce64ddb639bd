import { useMemo, useState } from 'react'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import { showProblem } from '../../../ui/toasts.tsx'
import type { ListFilter } from '../run-query.ts'
import { type ListQuery, useRunPages } from '../use-run-pages.ts'
import { type ColumnId, COLUMNS, shownAtFirst } from './columns.ts'

const KEY = 'speedgrid.history.columns'
const NONE: ReadonlyMap<string, RunRow> = new Map()

function keptColumns(): Partial<Record<string, boolean>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '')
    if (typeof kept === 'object' && kept !== null) return kept
  } catch {
    // Nothing kept, or nothing that can be read.
  }
  return shownAtFirst(window.innerWidth)
}

interface RunTableInput {
  filter: ListFilter
  isTrash: boolean
  /** Of the history: with another one the rows in sight are asked for again. */
  version: number | undefined
}

/** Rows, sorting, selection and columns of the list. */
export function useRunTable({ filter, isTrash, version }: RunTableInput) {
  const [sorting, setSorting] = useState<{ order: ColumnId; isDescending: boolean }>({ order: 'started', isDescending: true })
  const [columnVisibility, setColumnVisibility] = useState(keptColumns)
  const query: ListQuery = { ...filter, trashed: isTrash, ...sorting }
  const pages = useRunPages(query, version)
  // What isn't shown is not acted upon: another filter is another selection.
  const filterKey = JSON.stringify(filter)
  const [held, setHeld] = useState({ filterKey, selection: NONE })
  const selection = held.filterKey === filterKey ? held.selection : NONE
  const select = (next: ReadonlyMap<string, RunRow>) => {
    setHeld({ filterKey, selection: next })
  }
  // As the rows are now, where they are here.
  const rows = pages.rows()
  const selected = useMemo(() => {
    const now = new Map(rows.map((row) => [row.id, row]))
    return [...selection.values()].map((row) => now.get(row.id) ?? row)
  }, [rows, selection])
  return {
    pages,
    count: pages.counts?.matching ?? 0,
    all: pages.counts?.all ?? 0,
    sorting,
    sortBy: (order: ColumnId) => {
      setSorting((before) => ({
        order,
        isDescending: before.order === order ? !before.isDescending : COLUMNS[order].isDescendingFirst === true,
      }))
    },
    selection,
    selected,
    toggle: (run: RunRow, isSelected = !selection.has(run.id)) => {
      const next = new Map(selection)
      if (isSelected) next.set(run.id, run)
      else next.delete(run.id)
      select(next)
    },
    selectAll: async () => {
      try {
        select(new Map((await pages.readAll()).map((run) => [run.id, run])))
      } catch (error) {
        showProblem(error)
      }
    },
    clearSelection: () => {
      select(NONE)
    },
    columnVisibility,
    showColumn: (id: ColumnId, isShown: boolean) => {
      setColumnVisibility((before) => {
        const next = { ...before, [id]: isShown }
        localStorage.setItem(KEY, JSON.stringify(next))
        return next
      })
    },
  }
}

export type RunTable = ReturnType<typeof useRunTable>
