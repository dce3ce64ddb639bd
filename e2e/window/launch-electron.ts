import { _electron, type ElectronApplication, type Page } from '@playwright/test'

type Options = Parameters<typeof _electron.launch>[0]

const PATIENCE_MS = 20_000
const TRIES = 3

/**
 * Playwright's handshake with the oldest Electron sometimes never ends although the app is up (measured: one start in sixty, more on a busy
 * machine). Such a start is ended and tried again; what the app does once playwright has its window is never repeated.
 */
export async function launchElectron(options: Options): Promise<{ app: ElectronApplication; page: Page }> {
  for (let left = TRIES - 1; ; left -= 1) {
    let app: ElectronApplication | undefined
    try {
      app = await _electron.launch({ ...options, timeout: PATIENCE_MS })
      return { app, page: await app.firstWindow({ timeout: PATIENCE_MS }) }
    } catch (error) {
      app?.process().kill('SIGKILL')
      if (left === 0 || !(error instanceof Error) || !error.message.includes('Timeout')) throw error
    }
  }
}
