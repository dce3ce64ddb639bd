// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest'
import { type Command, createCommands } from './commands.ts'
import { findCommands } from './find-commands.ts'
import { canonicalKeys, listenForShortcuts, shortcutText } from './shortcuts.ts'

const command = (id: string, more: Partial<Command> = {}): Command => ({
  id,
  title: id,
  section: 'Test',
  run: () => undefined,
  ...more,
})

describe('the registry', () => {
  it('lets a screen’s command win while it is shown', () => {
    const commands = createCommands()
    const [app, screen] = [vi.fn<() => void>(), vi.fn<() => void>()]
    commands.register([command('find', { run: app })])
    const leave = commands.register([command('find', { run: screen })])
    expect(commands.run('find')).toBe(true)
    leave()
    commands.run('find')
    expect([screen.mock.calls.length, app.mock.calls.length]).toEqual([1, 1])
    expect(commands.store.getState().list).toHaveLength(1)
  })

  it('does nothing for a command that is not possible now, or unknown', () => {
    const commands = createCommands()
    const run = vi.fn<() => void>()
    commands.register([command('sweep.pause', { run, when: () => false })])
    expect(commands.run('sweep.pause')).toBe(false)
    expect(commands.run('rm -rf')).toBe(false)
    expect(run).not.toHaveBeenCalled()
  })
})

describe('keys', () => {
  function setUp(list: Command[]) {
    const commands = createCommands()
    commands.register(list)
    const leave = listenForShortcuts(commands, { isMac: false })
    const press = (key: string, init: KeyboardEventInit = {}, target: EventTarget = document.body) =>
      target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }))
    return { press, leave }
  }

  it('run their command and keep the browser’s own from happening', () => {
    const run = vi.fn<() => void>()
    const { press, leave } = setUp([command('palette', { shortcuts: ['Mod+K', 'Mod+Shift+P'], run })])
    expect(press('k', { ctrlKey: true })).toBe(false)
    press('P', { ctrlKey: true, shiftKey: true })
    expect(press('k')).toBe(true)
    expect(press('k', { ctrlKey: true, altKey: true })).toBe(true)
    leave()
    press('k', { ctrlKey: true })
    expect(run).toHaveBeenCalledTimes(2)
  })

  it('leave plain keys to text fields, but not those with Ctrl', () => {
    const [plain, withCtrl] = [vi.fn<() => void>(), vi.fn<() => void>()]
    const { press, leave } = setUp([
      command('remeasure', { shortcuts: ['R'], run: plain }),
      command('go', { shortcuts: ['Mod+1'], run: withCtrl }),
    ])
    const field = document.body.appendChild(document.createElement('input'))
    press('r', {}, field)
    expect(plain).not.toHaveBeenCalled()
    press('1', { ctrlKey: true }, field)
    press('r')
    expect([plain.mock.calls.length, withCtrl.mock.calls.length]).toEqual([1, 1])
    field.remove()
    leave()
  })

  it('know sequences: Esc twice, not Esc once', () => {
    const run = vi.fn<() => void>()
    const { press, leave } = setUp([command('stop', { shortcuts: ['Escape Escape'], run })])
    press('Escape')
    expect(run).not.toHaveBeenCalled()
    press('Escape')
    expect(run).toHaveBeenCalledTimes(1)
    press('Escape')
    press('a')
    press('Escape')
    expect(run).toHaveBeenCalledTimes(1)
    leave()
  })

  it('are ⌘ on a Mac and Ctrl elsewhere, and read so', () => {
    expect(canonicalKeys('Mod+Shift+P', true)).toBe('meta+shift+p')
    expect(canonicalKeys('Mod+Shift+P', false)).toBe('ctrl+shift+p')
    expect(shortcutText('Mod+Shift+P', true)).toEqual(['⌘⇧P'])
    expect(shortcutText('Escape Escape', false)).toEqual(['Esc', 'Esc'])
  })
})

describe('the palette', () => {
  it('finds by words in any order and puts titles that start so first', () => {
    const list = [
      command('a', { title: 'Go to Hosts' }),
      command('b', { title: 'Hosts: add one', keywords: 'ssh' }),
      command('c', { title: 'Stop' }),
    ]
    expect(findCommands(list, 'hosts').map((it) => it.id)).toEqual(['b', 'a'])
    expect(findCommands(list, 'ADD ssh').map((it) => it.id)).toEqual(['b'])
    expect(findCommands(list, 'nothing here')).toEqual([])
  })
})
