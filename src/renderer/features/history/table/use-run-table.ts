import { type RowSelectionState, type SortingState, useTable } from '@tanstack/react-table'
import { useMemo, useState } from 'react'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import { type ColumnId, columns, features, shownAtFirst } from './columns.ts'

const KEY = 'speedgrid.history.columns'

function keptColumns(): Record<string, boolean> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '')
    if (typeof kept === 'object' && kept !== null) return kept as Record<string, boolean>
  } catch {
    // Nothing kept, or nothing that can be read.
  }
  return shownAtFirst(window.innerWidth)
}

/** Sorting, selection and columns of the list. `runs` has to be the same array as long as nothing changed. */
export function useRunTable(runs: RunRow[]) {
  const [sorting, setSorting] = useState<SortingState>([{ id: 'started', desc: true }])
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({})
  const [columnVisibility, setColumnVisibility] = useState(keptColumns)
  const table = useTable({
    features,
    columns,
    data: runs,
    getRowId: (run) => run.id,
    enableSortingRemoval: false,
    enableMultiSort: false,
    state: { sorting, rowSelection, columnVisibility },
    onSortingChange: setSorting,
    onRowSelectionChange: setRowSelection,
  })
  const rows = table.getRowModel().rows
  // A selection outlives the rows it was made in; what isn't shown is not acted upon.
  const selected = useMemo(() => rows.filter((row) => rowSelection[row.id]).map((row) => row.original), [rows, rowSelection])
  const showColumn = (id: ColumnId, isShown: boolean) => {
    setColumnVisibility((before) => {
      const next = { ...before, [id]: isShown }
      localStorage.setItem(KEY, JSON.stringify(next))
      return next
    })
  }
  return { table, rows, sorting, selected, rowSelection, setRowSelection, columnVisibility, showColumn }
}

export type RunTable = ReturnType<typeof useRunTable>
