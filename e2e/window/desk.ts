import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ElectronApplication, expect, type Page, test as base } from '@playwright/test'
import type Electron from 'electron'
import { createPerson, type Person } from '../../test/program/speedgrid.ts'
import { electronPath } from '../support/window.ts'
import { launchElectron } from './launch-electron.ts'

export { expect } from '@playwright/test'

export const root = resolve(import.meta.dirname, '../..')

/** What a dialog of the shell was asked, in the words of Electron's options. */
export interface Asked {
  kind: string
  message: string
  detail: string
  buttons: string[]
}

/** The app as one start of it. */
export interface Desk {
  app: ElectronApplication
  /** Electron's main process. */
  child: ChildProcess
  page: Page
  /** A call of the shell over the bridge. */
  call(name: string, input: unknown): Promise<{ ok: boolean; value?: unknown; error?: string }>
  /** Chooses an item of the native menu. */
  choose(id: string): Promise<void>
  /** From now on dialogs are answered so, without showing. */
  answerDialogs(answer: { response?: number; filePath?: string }): Promise<void>
  asked(): Promise<Asked[]>
  /** Pids of the engine's processes this app started. */
  enginePids(): number[]
  /** Quits as a person does and waits for the end. */
  quit(): Promise<void>
}

export interface Office {
  person: Person
  /** Chromium's own folder of this person. */
  userData: string
  start(args?: string[]): Promise<Desk>
}

function electronArgs(userData: string, args: string[]): string[] {
  return [root, `--user-data-dir=${userData}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...args]
}

async function startDesk(office: Omit<Office, 'start'>, executablePath: string, args: string[]): Promise<Desk> {
  const env = Object.fromEntries(
    Object.entries(office.person.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const { app, page } = await launchElectron({ executablePath, args: electronArgs(office.userData, args), env })
  // Asked for now: playwright has none any more once the app has ended.
  const child = app.process()
  await expect(page.getByRole('link', { name: 'Hosts' })).toBeVisible()
  const desk: Desk = {
    app,
    child,
    page,
    call: (name, input) => callShell(page, name, input),
    choose: (id) =>
      app.evaluate(({ Menu }, item) => {
        Menu.getApplicationMenu()?.getMenuItemById(item)?.click()
      }, id),
    answerDialogs: (answer) => app.evaluate(standInForDialogs, answer),
    asked: () => app.evaluate(() => (globalThis as unknown as { asked?: Asked[] }).asked ?? []),
    enginePids: () => childrenOf(child.pid ?? 0).filter((pid) => commandOf(pid).includes('engine-host.js')),
    quit: async () => {
      const closed = app.waitForEvent('close')
      await app.evaluate(({ app: electron }) => {
        setTimeout(() => electron.quit(), 0)
      })
      await closed
    },
  }
  return desk
}

/** Asks over the bridge as the page does, under numbers that the page doesn't use. */
export function callShell(page: Page, call: string, input: unknown): Promise<{ ok: boolean; value?: unknown; error?: string }> {
  return page.evaluate(
    ({ call, input }) =>
      new Promise((resolveCall) => {
        const { speedgrid } = window as unknown as {
          speedgrid: { send(text: string): void; onMessage(listener: (text: string) => void): () => void }
        }
        const id = 1_000_000 + Math.floor(Math.random() * 1_000_000)
        const leave = speedgrid.onMessage((text) => {
          const message = JSON.parse(text) as { from: string; id?: number; ok: boolean; value?: unknown; error?: string }
          if (message.from !== 'shell' || message.id !== id) return
          leave()
          resolveCall(message)
        })
        speedgrid.send(JSON.stringify({ to: 'shell', id, call, input }))
      }),
    { call, input },
  )
}

type Main = typeof Electron
/** Runs in Electron's main process: notes what is asked and answers at once. */
function standInForDialogs({ dialog, shell }: Main, { response = 0, filePath }: { response?: number; filePath?: string }): void {
  const own = globalThis as unknown as { asked?: Asked[] }
  own.asked ??= []
  const note = (kind: string, options: Partial<Asked>) => {
    own.asked?.push({ kind, message: options.message ?? '', detail: options.detail ?? '', buttons: options.buttons ?? [] })
  }
  const last = (given: unknown[]) => (given.at(-1) ?? {}) as Partial<Asked>
  dialog.showMessageBox = ((...given: unknown[]) => {
    note('message', last(given))
    return Promise.resolve({ response, checkboxChecked: false })
  }) satisfies typeof dialog.showMessageBox
  dialog.showErrorBox = (message, detail) => {
    note('error', { message, detail })
  }
  dialog.showSaveDialog = ((...given: unknown[]) => {
    note('save', { message: (last(given) as { defaultPath?: string }).defaultPath ?? '' })
    return Promise.resolve(filePath === undefined ? { canceled: true, filePath: '' } : { canceled: false, filePath })
  }) satisfies typeof dialog.showSaveDialog
  dialog.showOpenDialog = ((...given: unknown[]) => {
    note('open', { message: (last(given) as { title?: string }).title ?? '' })
    return Promise.resolve({ canceled: filePath === undefined, filePaths: filePath === undefined ? [] : [filePath] })
  }) satisfies typeof dialog.showOpenDialog
  shell.openExternal = (url) => {
    note('browser', { message: url })
    return Promise.resolve()
  }
}

const readOr = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
const commandOf = (pid: number) => readOr(`/proc/${String(pid)}/cmdline`)
const parentOf = (pid: number) => Number(/^PPid:\s*(\d+)/m.exec(readOr(`/proc/${String(pid)}/status`))?.[1] ?? 0)
const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent)
export const isAlive = (pid: number) =>
  existsSync(`/proc/${String(pid)}`) && !readOr(`/proc/${String(pid)}/status`).includes('State:\tZ')

/** Its one window is shown: that comes with its first paint, some time after the page can be spoken with. */
export async function expectVisible(app: ElectronApplication): Promise<void> {
  await expect
    .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible())))
    .toEqual([true])
}

/** The engine has answered: an account without hosts is shown the one thing to press. */
export async function waitForEngine(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Try the demo machine' })).toBeVisible()
  await expect(page.getByText(/^(Waiting for the engine|The engine is gone)$/)).toBeHidden()
}

export const test = base.extend<{ office: Office; desk: Desk }>({
  // oxlint-disable-next-line no-empty-pattern -- playwright reads the fixture's needs from the pattern
  office: async ({}, use) => {
    const executablePath = electronPath()
    if (executablePath === undefined) throw new Error('There is no Electron: SPEEDGRID_ELECTRON names none and none is installed')
    const person = createPerson({ SPEEDGRID_DEMO_START_SECONDS: '1' })
    mkdirSync(join(person.home, '.ssh'), { mode: 0o700 })
    const userData = join(person.home, 'user-data')
    const desks: Desk[] = []
    await use({
      person,
      userData,
      start: async (args = []) => {
        const desk = await startDesk({ person, userData }, executablePath, args)
        desks.push(desk)
        return desk
      },
    })
    for (const { child } of desks) await endApp(child)
    person.dispose()
  },
  desk: async ({ office }, use) => {
    await use(await office.start())
  },
})

async function endApp(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolveGone) => child.once('exit', resolveGone))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await gone
  clearTimeout(late)
}
