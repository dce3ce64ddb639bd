import { createContext, use, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { Settings } from '../../shared/contract/app.ts'
import type { AppState } from './app-state.ts'
import type { ConnectionState } from './connection.ts'
import type { Abilities } from './shell.ts'
import type { EngineClient } from './trpc.ts'
import { useFeedStore } from './use-feed.ts'

export const AppStateContext = createContext<AppState | undefined>(undefined)

export function useApp(): AppState {
  const app = use(AppStateContext)
  if (app === undefined) throw new Error('no AppStateContext above this component')
  return app
}

export const useClient = (): EngineClient => useApp().client
export const useHosts = () => useFeedStore(useApp().hosts)
export const useRuns = () => useFeedStore(useApp().runs)
export const useDemo = () => useFeedStore(useApp().demo)
export const useSettings = (): Settings | undefined => useStore(useApp().settings, (state) => state.settings)
export const useConnection = (): ConnectionState => useStore(useApp().link.connection)

/** Undefined until the shell has answered. */
export function useAbilities(): Abilities | undefined {
  const { shell } = useApp()
  const [abilities, setAbilities] = useState<Abilities>()
  useEffect(() => {
    let left = false
    void shell.abilities().then((value) => {
      if (!left) setAbilities(value)
    })
    return () => {
      left = true
    }
  }, [shell])
  return abilities
}
