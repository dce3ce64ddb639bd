import { _electron, type ElectronApplication } from '@playwright/test'

type Options = Parameters<typeof _electron.launch>[0]

const PATIENCE_MS = 20_000
const TRIES = 3

/**
 * On a busy machine playwright's handshake with the oldest Electron sometimes never ends (about one start in twenty; the app itself is up).
 * Such a start is ended by playwright and tried again. What the app does after a handshake is never repeated.
 */
export async function launchElectron(options: Options): Promise<ElectronApplication> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      return await _electron.launch({ ...options, timeout: PATIENCE_MS })
    } catch (error) {
      if (left === 0 || !(error instanceof Error) || !error.message.includes('Timeout')) throw error
    }
  }
}
