import type { Command, Commands } from './commands.ts'

/** How long the second key of a sequence may take, in ms. */
const SEQUENCE_MS = 700

const ALIASES: Record<string, string> = { break: 'cancel', enter: 'enter', esc: 'escape', left: 'arrowleft', right: 'arrowright' }

/** `Mod+Shift+P` → its canonical text, with Mod resolved. */
export function canonicalKeys(keys: string, isMac: boolean): string {
  const parts = keys
    .toLowerCase()
    .split('+')
    .map((part) => part.trim())
  const key = parts.pop() ?? ''
  const has = (name: string) => parts.includes(name)
  return text({
    ctrl: has('ctrl') || (has('mod') && !isMac),
    meta: has('meta') || (has('mod') && isMac),
    alt: has('alt'),
    shift: has('shift'),
    key: ALIASES[key] ?? key,
  })
}

function keysOf(event: KeyboardEvent): string {
  const code = /^(?:Key|Digit)(.)$/.exec(event.code)?.[1]
  // With Alt (and on a Mac with ⌥) the key is another character; its place on the keyboard is what the person meant.
  const key = event.altKey && code !== undefined ? code : event.key
  return text({ ctrl: event.ctrlKey, meta: event.metaKey, alt: event.altKey, shift: event.shiftKey, key: key.toLowerCase() })
}

function text({ ctrl, meta, alt, shift, key }: { ctrl: boolean; meta: boolean; alt: boolean; shift: boolean; key: string }) {
  return [ctrl && 'ctrl', meta && 'meta', alt && 'alt', shift && 'shift', key].filter((part) => part !== false).join('+')
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))

/** A plain key in a text field is text; with a modifier, a function key, or where the command says so, it is a command. */
function isAllowed(command: Command, keys: string, target: EventTarget | null) {
  if (!isField(target) || command.inFields === true) return true
  return /^(ctrl|meta|alt)\+/.test(keys) || /(^|\+)f\d+$/.test(keys)
}

/** Listens on the whole document. Returns the end of it. */
export function listenForShortcuts(commands: Commands, { isMac }: { isMac: boolean }, target: Document = document): () => void {
  let before: { keys: string; at: number } | undefined
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    const keys = keysOf(event)
    const pair = before !== undefined && event.timeStamp - before.at < SEQUENCE_MS ? `${before.keys} ${keys}` : undefined
    before = { keys, at: event.timeStamp }
    const command = commands.store
      .getState()
      .list.toReversed()
      .find((it) => {
        const matches = (it.shortcuts ?? []).some((shortcut) => {
          const wanted = shortcut.split(' ').map((part) => canonicalKeys(part, isMac))
          return wanted.length === 2 ? wanted.join(' ') === pair : wanted[0] === keys
        })
        return matches && isAllowed(it, keys, event.target) && it.when?.() !== false
      })
    if (command === undefined) return
    event.preventDefault()
    before = undefined
    command.run()
  }
  target.addEventListener('keydown', onKey)
  return () => {
    target.removeEventListener('keydown', onKey)
  }
}

const MAC: Record<string, string> = { mod: '⌘', meta: '⌘', ctrl: '⌃', alt: '⌥', shift: '⇧', enter: '⏎', escape: 'Esc' }
const PLAIN: Record<string, string> = { mod: 'Ctrl', meta: 'Win', escape: 'Esc', arrowleft: '←', arrowright: '→' }

/** How a person reads it: "Ctrl+Shift+P", on a Mac "⇧⌘P". */
export function shortcutText(shortcut: string, isMac: boolean): string[] {
  return shortcut.split(' ').map((one) => {
    const names = one.split('+').map((part) => {
      const known = (isMac ? MAC : PLAIN)[part.toLowerCase()]
      return known ?? (part.length === 1 ? part.toUpperCase() : part.charAt(0).toUpperCase() + part.slice(1))
    })
    return names.join(isMac ? '' : '+')
  })
}
