import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Person } from '../../test/program/speedgrid.ts'
import { type App, watchProblems } from './front-door.ts'
import { launchElectron } from '../window/launch-electron.ts'

const root = resolve(import.meta.dirname, '../..')

/** The Electron to test in: the one named by SPEEDGRID_ELECTRON, or the installed one. */
export function electronPath(): string | undefined {
  const named = process.env.SPEEDGRID_ELECTRON
  if (named) return named
  try {
    const installed: unknown = createRequire(import.meta.url)('electron')
    return typeof installed === 'string' && existsSync(installed) ? installed : undefined
  } catch {
    return undefined
  }
}

export async function openWindow(person: Person): Promise<{ app: App; dispose: () => Promise<void> }> {
  const executablePath = electronPath()
  if (executablePath === undefined) throw new Error('There is no Electron: SPEEDGRID_ELECTRON names none and none is installed')
  const { app: electron, page } = await launchElectron({
    executablePath,
    args: [root, `--user-data-dir=${join(person.temporary, 'chromium')}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    env: Object.fromEntries(Object.entries(person.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
  })
  const problems: string[] = []
  watchProblems(page, problems)
  const app: App = {
    kind: 'window',
    person,
    page,
    problems,
    serve: undefined,
    openPage: () => Promise.reject(new Error('The window is one')),
    answerSave: (path) =>
      electron.evaluate(({ dialog }, filePath) => {
        dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
      }, path),
    restart: () => Promise.reject(new Error('The window restarts its engine by itself')),
  }
  return { app, dispose: () => electron.close() }
}
