import { createStore, type StoreApi } from 'zustand/vanilla'
import type { z } from 'zod'
import type { changeSettingsInput, Settings } from '../../shared/contract/app.ts'
import type { EngineClient } from './trpc.ts'

/** What is absent stays; null takes the baseline away. */
type SettingsChange = z.input<typeof changeSettingsInput>

interface SettingsState {
  /** Undefined until the engine has told them. */
  settings?: Settings
  load(): Promise<void>
  /** Takes effect at once; put back when the engine refuses. */
  change(change: SettingsChange): Promise<void>
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
        if (before !== undefined) take(changed(before, change))
        try {
          take(await client.app.changeSettings.mutate(change))
        } catch (error) {
          if (before !== undefined) take(before)
          throw error
        }
      },
    }
  })

function changed(before: Settings, change: SettingsChange): Settings {
  const { baselineRunId, ...rest } = { ...before, ...change }
  return {
    ...rest,
    appearance: rest.appearance ?? before.appearance,
    sendNode: rest.sendNode ?? before.sendNode,
    ...(typeof baselineRunId === 'string' ? { baselineRunId } : {}),
  }
}
