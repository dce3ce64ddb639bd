import { join, resolve } from 'node:path'
import { findElectron } from '../../bin/find-electron.mjs'
import type { Person } from '../../test/program/speedgrid.ts'
import { type App, watchProblems } from './front-door.ts'
import { launchElectron } from '../window/launch-electron.ts'

const root = resolve(import.meta.dirname, '../..')

/** The Electron to test in. One that is named but missing is given all the same, so that it fails and isn't skipped. */
export function electronPath(): string | undefined {
  return process.env.SPEEDGRID_ELECTRON || findElectron()
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
