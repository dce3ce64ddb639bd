import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Settings } from '../../shared/contract/app.ts'
import type { EngineClient } from './trpc.ts'

export interface SettingsState {
  /** Undefined until the engine has told them. */
  settings?: Settings
  load(): Promise<void>
  /** Takes effect at once; put back when the engine refuses. */
  change(change: Partial<Settings>): Promise<void>
}
export type SettingsStore = StoreApi<SettingsState>

/** The last known appearance, so that the next start doesn't flash in the wrong one. */
const APPEARANCE_KEY = 'speedgrid.appearance'

export function rememberedAppearance(): Settings['appearance'] {
  const kept = localStorage.getItem(APPEARANCE_KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export const createSettingsStore = (client: EngineClient): SettingsStore =>
  createStore<SettingsState>()((set, get) => {
    const take = (settings: Settings) => {
      localStorage.setItem(APPEARANCE_KEY, settings.appearance)
      set({ settings })
    }
    return {
      load: async () => {
        take(await client.app.settings.query())
      },
      change: async (change) => {
        const before = get().settings
        if (before !== undefined) take({ ...before, ...change })
        try {
          take(await client.app.changeSettings.mutate(change))
        } catch (error) {
          if (before !== undefined) take(before)
          throw error
        }
      },
    }
  })
