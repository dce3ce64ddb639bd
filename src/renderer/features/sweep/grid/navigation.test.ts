import { describe, expect, it } from 'vitest'
import { type GridFocus, gridKey, inRange, keptFocus, type KeyPress, rangeOf } from './navigation.ts'

const size = { rows: 6, columns: 8, page: 4 }
const at = (row: number, column: number, anchor = { row, column }): GridFocus => ({ row, column, anchor })
const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  shiftKey: false,
  metaKey: false,
  altKey: false,
  ...more,
})

describe('keys of the grid', () => {
  it.each([
    ['ArrowRight', {}, at(2, 4)],
    ['ArrowUp', {}, at(1, 3)],
    ['Home', {}, at(2, 0)],
    ['End', {}, at(2, 7)],
    ['Home', { ctrlKey: true }, at(0, 0)],
    ['End', { ctrlKey: true }, at(5, 7)],
    ['PageUp', {}, at(0, 3)],
    ['PageDown', {}, at(5, 3)],
    ['ArrowDown', { metaKey: true }, at(5, 3)],
  ])('%s %j moves', (key, more, focus) => {
    expect(gridKey(press(key, more), at(2, 3), size)).toEqual({ kind: 'focus', focus })
  })

  it('stops at the edges', () => {
    expect(gridKey(press('ArrowLeft'), at(0, 0), size)).toEqual({ kind: 'focus', focus: at(0, 0) })
  })

  it('extends with Shift and collapses with Escape', () => {
    const extended = gridKey(press('ArrowDown', { shiftKey: true }), at(1, 1), size)
    expect(extended).toEqual({ kind: 'focus', focus: at(2, 1, { row: 1, column: 1 }) })
    expect(gridKey(press('Escape'), at(2, 1, { row: 1, column: 1 }), size)).toEqual({ kind: 'focus', focus: at(2, 1) })
    expect(gridKey(press('Escape'), at(2, 1), size)).toEqual({ kind: 'leave' })
  })

  it('selects row, column and everything', () => {
    const range = (key: string, more: Partial<KeyPress>) => {
      const action = gridKey(press(key, more), at(2, 3), size)
      return action?.kind === 'focus' ? rangeOf(action.focus) : undefined
    }
    expect(range(' ', { shiftKey: true })).toEqual({ top: 2, bottom: 2, left: 0, right: 7 })
    expect(range(' ', { ctrlKey: true })).toEqual({ top: 0, bottom: 5, left: 3, right: 3 })
    expect(range('a', { ctrlKey: true })).toEqual({ top: 0, bottom: 5, left: 0, right: 7 })
  })

  it('opens, copies, and leaves other keys alone', () => {
    expect(gridKey(press('Enter'), at(0, 0), size)).toEqual({ kind: 'open' })
    expect(gridKey(press('c', { ctrlKey: true }), at(0, 0), size)).toEqual({ kind: 'copy' })
    expect(gridKey(press('Enter', { ctrlKey: true }), at(0, 0), size)).toBeUndefined()
    expect(gridKey(press('ArrowLeft', { altKey: true }), at(0, 0), size)).toBeUndefined()
    expect(gridKey(press('x'), at(0, 0), size)).toBeUndefined()
  })

  it('knows what is inside, and stays inside a grid that shrinks', () => {
    const range = rangeOf(at(3, 1, { row: 1, column: 2 }))
    expect(inRange(range, 2, 1)).toBe(true)
    expect(inRange(range, 2, 3)).toBe(false)
    expect(keptFocus(at(5, 7), { rows: 2, columns: 3 })).toEqual(at(1, 2))
  })
})
