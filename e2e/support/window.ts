import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { _electron } from '@playwright/test'
import type { Person } from '../../test/program/speedgrid.ts'
import { type App, watchProblems } from './front-door.ts'

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
  const electron = await _electron.launch({
    executablePath,
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), root],
    env: Object.fromEntries(Object.entries(person.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
  })
  const problems: string[] = []
  const page = await electron.firstWindow()
  watchProblems(page, problems)
  const app: App = {
    kind: 'window',
    person,
    page,
    problems,
    serve: undefined,
    openPage: () => Promise.reject(new Error('The window is one')),
    restart: () => Promise.reject(new Error('The window restarts its engine by itself')),
  }
  return { app, dispose: () => electron.close() }
}
