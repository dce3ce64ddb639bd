import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { copyAndSay } from '../../../ui/copy-menu.tsx'
import type { RunActions } from '../run-actions.ts'
import { runsAsTsv } from '../run-texts.ts'
import type { RunTable } from './use-run-table.ts'

interface TableKeysInput {
  view: RunTable
  actions: RunActions
  isTrash: boolean
  scroller: RefObject<HTMLDivElement | null>
  scrollTo: (index: number) => void
  rowPx: number
  onRenaming: (runId: string | undefined) => void
}

/** One row of the list has the focus; arrows move it, other keys act on it or on the selected ones. */
export function useTableKeys({ view, actions, isTrash, scroller, scrollTo, rowPx, onRenaming }: TableKeysInput) {
  const { pages, count, selected } = view
  const [held, setFocus] = useState(0)
  const focus = Math.max(0, Math.min(held, count - 1))
  const wanted = useRef(false)
  useEffect(() => {
    if (!wanted.current) return
    wanted.current = false
    scroller.current?.querySelector<HTMLElement>(`[data-index="${String(focus)}"]`)?.focus({ preventScroll: true })
  })

  const go = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index))
    wanted.current = true
    setFocus(next)
    scrollTo(next)
  }
  const run = pages.rowAt(focus)
  const chosen = selected.length > 0 ? selected : run === undefined ? [] : [run]
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowPx) - 2)
  const moves: Record<string, () => void> = {
    ArrowDown: () => {
      go(focus + 1)
    },
    ArrowUp: () => {
      go(focus - 1)
    },
    PageDown: () => {
      go(focus + page)
    },
    PageUp: () => {
      go(focus - page)
    },
    Home: () => {
      go(0)
    },
    End: () => {
      go(count - 1)
    },
  }
  const acts: Record<string, () => void> = {
    Enter: () => {
      if (run !== undefined && !isTrash) actions.open(run)
    },
    ' ': () => {
      if (run !== undefined) view.toggle(run)
    },
    F2: () => {
      if (run !== undefined && !isTrash) onRenaming(run.id)
    },
    Delete: () => {
      if (chosen.length > 0 && !isTrash) void actions.trash(chosen).then(view.clearSelection)
    },
    Escape: () => {
      view.clearSelection()
    },
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Fields, buttons and menus inside a row keep their keys.
    if (!(event.target instanceof HTMLElement) || event.target.dataset.index === undefined) return
    const isModified = event.ctrlKey || event.metaKey
    const key = event.key
    const act = isModified ? modified(key.toLowerCase()) : (moves[key] ?? acts[key])
    if (act === undefined || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    act()
    if (event.shiftKey && run !== undefined && (key === 'ArrowDown' || key === 'ArrowUp')) {
      view.toggle(run, true)
    }
  }
  const modified = (key: string): (() => void) | undefined => {
    if (key === 'a')
      return () => {
        void view.selectAll()
      }
    if (key === 'c' && String(window.getSelection()) === '')
      return () => void copyAndSay(chosen.length === 1 ? 'the run' : `${String(chosen.length)} runs`, 'TSV', runsAsTsv(chosen))
    return undefined
  }
  return { focus, setFocus, onKeyDown }
}
