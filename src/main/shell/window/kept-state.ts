import { nativeTheme } from 'electron'
import type { JsonFile } from '../system/json-file.ts'
import { type WindowState, windowStateSchema } from './window-state.ts'

/** The grounds of the page's tokens, so that nothing flashes before the first paint. */
const GROUND = { light: '#f5f6f8', dark: '#101317' }

export const groundColor = () => (nativeTheme.shouldUseDarkColors ? GROUND.dark : GROUND.light)

export interface KeptState {
  get(): WindowState
  change(change: Partial<WindowState>): void
}

/** Read once at the start; written at each change. A disk that can't take it costs the habit of a window, never the work. */
export function createKeptState(file: JsonFile<WindowState>): KeptState {
  let state: WindowState = file.read() ?? windowStateSchema.parse({})
  nativeTheme.themeSource = state.appearance
  return {
    get: () => state,
    change: (change) => {
      state = { ...state, ...change }
      if (change.appearance !== undefined) nativeTheme.themeSource = change.appearance
      try {
        file.write(state)
      } catch (error) {
        console.error('The state of the window could not be kept:', error)
      }
    },
  }
}
