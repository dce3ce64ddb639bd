import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { menuTemplate } from './menu-template.ts'

const ran: string[] = []
const actions = {
  command: (id: string) => ran.push(id),
  newWindow: () => {},
  attach: () => {},
  detach: () => {},
  about: () => {},
}
const flat = (items: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
  items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flat(item.submenu) : [])])
const menu = (facts: Partial<Parameters<typeof menuTemplate>[0]> = {}) =>
  flat(menuTemplate({ isMac: false, isPackaged: true, isAttached: false, ...facts }, actions))

describe('the native menu', () => {
  it('has the roles that copying and pasting need on a Mac', () => {
    const roles = menu({ isMac: true }).map(({ role }) => role)
    for (const role of ['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll', 'quit', 'services', 'minimize']) {
      expect(roles).toContain(role)
    }
  })

  it('sends ids of commands and leaves their keys to the page', () => {
    const item = menu().find(({ label }) => label === 'New Sweep')
    expect(item).toMatchObject({ accelerator: 'CmdOrCtrl+N', registerAccelerator: false })
    item?.click?.(undefined as never, undefined, undefined as never)
    expect(ran).toEqual(['sweep.new'])
  })

  it('gives no two items the same key', () => {
    for (const isMac of [true, false]) {
      const keys = menu({ isMac }).flatMap(({ accelerator, id }) =>
        accelerator === undefined ? [] : [`${accelerator} ${id ?? ''}`],
      )
      const used = keys.map((key) => key.split(' ')[0])
      expect(used.length).toBeGreaterThan(12)
      expect(new Set(used).size).toBe(used.length)
    }
  })

  it('offers the way back only where there is one, and developer tools only in a checkout', () => {
    expect(menu().find(({ id }) => id === 'engine.detach')?.enabled).toBe(false)
    expect(menu({ isAttached: true }).find(({ id }) => id === 'engine.detach')?.enabled).toBe(true)
    expect(menu().some(({ role }) => role === 'toggleDevTools')).toBe(false)
    expect(menu({ isPackaged: false }).some(({ role }) => role === 'toggleDevTools')).toBe(true)
  })
})
