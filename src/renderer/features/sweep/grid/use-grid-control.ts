import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type GridFocus, gridKey, keptFocus, type Place } from './navigation.ts'

export interface GridControl {
  focus: GridFocus
  frameRef: RefObject<HTMLDivElement | null>
  handlers: {
    onKeyDown: (event: KeyboardEvent) => void
    onFocus: (event: FocusEvent) => void
    onPointerDown: (event: PointerEvent) => void
    onPointerOver: (event: PointerEvent) => void
    onDoubleClick: (event: MouseEvent) => void
    onClick: (event: MouseEvent) => void
  }
  /** Puts the keyboard's focus back on the grid, after a panel was left. */
  takeFocus: () => void
}

interface GridControlInput {
  rows: number
  columns: number
  /** Clicked: its details are shown, the focus stays on the grid. */
  onSelect: (place: Place) => void
  /** Enter or a double click: the details take the focus. */
  onOpen: (place: Place) => void
  onCopy: () => void
  onLeave: () => void
}

/** Keyboard and pointer of the grid. The focus is moved by the person only, never by an update. */
export function useGridControl(input: GridControlInput): GridControl {
  const { rows, columns } = input
  const [held, setFocus] = useState<GridFocus>({ row: 0, column: 0, anchor: { row: 0, column: 0 } })
  const focus = useMemo(() => keptFocus(held, { rows: Math.max(1, rows), columns: Math.max(1, columns) }), [held, rows, columns])
  const frameRef = useRef<HTMLDivElement>(null)
  const wanted = useRef(false)
  const latest = useRef({ ...input, focus })
  useEffect(() => {
    latest.current = { ...input, focus }
  })

  const cellAt = ({ row, column }: Place) =>
    frameRef.current?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`) ?? undefined

  useEffect(() => {
    if (!wanted.current) return
    wanted.current = false
    cellAt(focus)?.focus()
  }, [focus])

  const handlers = useMemo(() => {
    const go = (next: GridFocus) => {
      wanted.current = true
      setFocus(next)
    }
    return {
      onKeyDown(event: KeyboardEvent) {
        const { rows, columns, focus, onOpen, onCopy, onLeave } = latest.current
        const page = Math.max(1, Math.floor((frameRef.current?.clientHeight ?? 400) / 48) - 1)
        const action = gridKey(event, focus, { rows, columns, page })
        if (!action) return
        event.preventDefault()
        event.stopPropagation()
        if (action.kind === 'focus') go(action.focus)
        else if (action.kind === 'open') onOpen(focus)
        else if (action.kind === 'copy') onCopy()
        else onLeave()
      },
      // Assistive technology moves the focus by itself; the arrows go on from there.
      onFocus(event: FocusEvent) {
        const place = placeOf(event.target)
        setFocus((before) =>
          !place || (place.row === before.row && place.column === before.column) ? before : { ...place, anchor: place },
        )
      },
      onPointerDown(event: PointerEvent) {
        const place = placeOf(event.target)
        if (!place || event.button !== 0) return
        event.preventDefault()
        go({ ...place, anchor: event.shiftKey ? latest.current.focus.anchor : place })
      },
      onPointerOver(event: PointerEvent) {
        const place = event.buttons === 1 ? placeOf(event.target) : undefined
        if (place) setFocus((before) => ({ ...place, anchor: before.anchor }))
      },
      onClick(event: MouseEvent) {
        const place = placeOf(event.target)
        const { focus } = latest.current
        const dragged = focus.anchor.row !== focus.row || focus.anchor.column !== focus.column
        if (place && !event.shiftKey && !dragged) latest.current.onSelect(place)
      },
      onDoubleClick(event: MouseEvent) {
        const place = placeOf(event.target)
        if (place) latest.current.onOpen(place)
      },
    }
  }, [])

  return useMemo(() => ({ focus, frameRef, handlers, takeFocus: () => cellAt(focus)?.focus() }), [focus, handlers])
}

function placeOf(target: EventTarget): Place | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
  if (!cell) return undefined
  return { row: Number(cell.dataset.row), column: Number(cell.dataset.column) }
}
