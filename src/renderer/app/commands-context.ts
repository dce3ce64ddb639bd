import { createContext, use, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { Command, Commands } from './commands.ts'

export const CommandsContext = createContext<Commands | undefined>(undefined)

export function useCommandRegistry(): Commands {
  const commands = use(CommandsContext)
  if (commands === undefined) throw new Error('no CommandsContext above this component')
  return commands
}

export const useCommandList = (): Command[] => useStore(useCommandRegistry().store, (state) => state.list)

/**
 * Registers commands while the component is shown. What they do and when may change with every render; only a change of ids, titles
 * or keys registers them again.
 */
export function useCommands(list: readonly Command[]) {
  const commands = useCommandRegistry()
  const latest = useRef(list)
  useEffect(() => {
    latest.current = list
  })
  const shape = JSON.stringify(
    list.map(({ id, title, section, shortcuts, keywords, inFields }) => ({ id, title, section, shortcuts, keywords, inFields })),
  )
  useEffect(() => {
    const described = JSON.parse(shape) as Omit<Command, 'run' | 'when'>[]
    const now = (id: string) => latest.current.find((it) => it.id === id)
    return commands.register(
      described.map((command) => ({
        ...command,
        when: () => now(command.id)?.when?.() ?? true,
        run: () => {
          now(command.id)?.run()
        },
      })),
    )
  }, [commands, shape])
}
