export interface Place {
  row: number
  column: number
}

/** Where the focus is, and where a selection began (the same place where nothing is selected). */
export interface GridFocus extends Place {
  anchor: Place
}

interface GridSize {
  rows: number
  columns: number
  /** Rows a PageUp or PageDown goes. */
  page: number
}

export interface KeyPress {
  key: string
  ctrlKey: boolean
  shiftKey: boolean
  metaKey: boolean
  altKey: boolean
}

type GridAction = { kind: 'focus'; focus: GridFocus } | { kind: 'open' } | { kind: 'copy' } | { kind: 'leave' }

/** Keys of a grid as the ARIA grid pattern has them; undefined: not a key of ours. */
export function gridKey(press: KeyPress, focus: GridFocus, size: GridSize): GridAction | undefined {
  if (press.altKey) return undefined
  const jump = press.ctrlKey || press.metaKey
  if (jump && press.key.toLowerCase() === 'c') return { kind: 'copy' }
  if (jump && press.key.toLowerCase() === 'a') {
    return { kind: 'focus', focus: { ...bounded(size.rows - 1, size.columns - 1, size), anchor: { row: 0, column: 0 } } }
  }
  if (press.key === 'Enter' && !jump) return { kind: 'open' }
  if (press.key === 'Escape') return isRange(focus) ? collapse(focus) : { kind: 'leave' }
  // A lone Space drops a selection and begins a new one here; with Shift it takes the row, as spreadsheets do.
  if (press.key === ' ') return press.shiftKey ? rowOf(focus, size) : jump ? columnOf(focus, size) : collapse(focus)
  const target = moved(press.key, jump, focus, size)
  if (!target) return undefined
  return { kind: 'focus', focus: { ...target, anchor: press.shiftKey ? focus.anchor : target } }
}

function moved(key: string, jump: boolean, { row, column }: Place, size: GridSize): Place | undefined {
  switch (key) {
    case 'ArrowUp':
      return bounded(jump ? 0 : row - 1, column, size)
    case 'ArrowDown':
      return bounded(jump ? size.rows - 1 : row + 1, column, size)
    case 'ArrowLeft':
      return bounded(row, jump ? 0 : column - 1, size)
    case 'ArrowRight':
      return bounded(row, jump ? size.columns - 1 : column + 1, size)
    case 'Home':
      return bounded(jump ? 0 : row, 0, size)
    case 'End':
      return bounded(jump ? size.rows - 1 : row, size.columns - 1, size)
    case 'PageUp':
      return bounded(row - size.page, column, size)
    case 'PageDown':
      return bounded(row + size.page, column, size)
    default:
      return undefined
  }
}

const clamp = (value: number, high: number) => Math.max(0, Math.min(high, value))
const bounded = (row: number, column: number, size: GridSize): Place => ({
  row: clamp(row, size.rows - 1),
  column: clamp(column, size.columns - 1),
})
const collapse = ({ row, column }: GridFocus): GridAction => ({ kind: 'focus', focus: { row, column, anchor: { row, column } } })
const rowOf = ({ row }: GridFocus, size: GridSize): GridAction => ({
  kind: 'focus',
  focus: { row, column: size.columns - 1, anchor: { row, column: 0 } },
})
const columnOf = ({ column }: GridFocus, size: GridSize): GridAction => ({
  kind: 'focus',
  focus: { row: size.rows - 1, column, anchor: { row: 0, column } },
})

export const isRange = (focus: GridFocus): boolean => focus.row !== focus.anchor.row || focus.column !== focus.anchor.column

export interface Range {
  top: number
  bottom: number
  left: number
  right: number
}

export function rangeOf({ row, column, anchor }: GridFocus): Range {
  return {
    top: Math.min(row, anchor.row),
    bottom: Math.max(row, anchor.row),
    left: Math.min(column, anchor.column),
    right: Math.max(column, anchor.column),
  }
}

export const inRange = ({ top, bottom, left, right }: Range, row: number, column: number): boolean =>
  row >= top && row <= bottom && column >= left && column <= right

/** The focus stays on its cell where rows or columns come or go. */
export function keptFocus(focus: GridFocus, size: Omit<GridSize, 'page'>): GridFocus {
  const fit = (place: Place): Place => ({ row: clamp(place.row, size.rows - 1), column: clamp(place.column, size.columns - 1) })
  return { ...fit(focus), anchor: fit(focus.anchor) }
}
