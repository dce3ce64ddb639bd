import { createStore, type StoreApi } from 'zustand/vanilla'

/**
 * One registry for menu, palette, context menus, tooltips and keys. Ids are stable: the native menu sends them.
 * A screen registers its own while it is shown (useCommands); a later registration of the same id wins while it lives.
 */
export interface Command {
  id: string
  title: string
  /** Group in the palette. */
  section: string
  /** The first is shown. `Mod` is ⌘ on a Mac, Ctrl elsewhere; two keys in a row: `Escape Escape`. */
  shortcuts?: readonly string[]
  keywords?: string
  /** Only these keys count inside text fields. */
  inFields?: boolean
  when?: () => boolean
  run: () => void
}

export interface Commands {
  store: StoreApi<{ list: Command[] }>
  register(commands: readonly Command[]): () => void
  /** False when there is no such command now. */
  run(id: string): boolean
  find(id: string): Command | undefined
}

export function createCommands(): Commands {
  const layers = new Map<symbol, readonly Command[]>()
  const store = createStore<{ list: Command[] }>()(() => ({ list: [] }))
  const publish = () => {
    const byId = new Map<string, Command>()
    for (const layer of layers.values()) for (const command of layer) byId.set(command.id, command)
    store.setState({ list: [...byId.values()] })
  }
  const find = (id: string) => {
    const command = store.getState().list.find((it) => it.id === id)
    return command?.when?.() === false ? undefined : command
  }
  return {
    store,
    find,
    register: (commands) => {
      const layer = Symbol('commands')
      layers.set(layer, commands)
      publish()
      return () => {
        layers.delete(layer)
        publish()
      }
    },
    run: (id) => {
      const command = find(id)
      command?.run()
      return command !== undefined
    },
  }
}
