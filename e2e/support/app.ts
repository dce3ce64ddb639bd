import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, type Browser, type BrowserContext } from '@playwright/test'
import { createPerson, type Person } from '../../test/program/speedgrid.ts'
import { type App, type Serve, watchProblems } from './front-door.ts'
import { openWindow } from './window.ts'

export { expect } from '@playwright/test'
export { type App, type Serve, watchProblems } from './front-door.ts'

export async function startServe(person: Person, args: string[] = []): Promise<Serve> {
  const running = person.start(['serve', ...args])
  const [, link = ''] = await running.saw(/(http:\/\/127\.0\.0\.1:\d+\/open\?token=\S+)/)
  const { origin, port } = new URL(link)
  return { running, address: origin, port: Number(port), link }
}

/** Another link of a running engine, as `serve` gives it to whoever has the data folder. */
export async function newLink(person: Person): Promise<string> {
  const { stdout, stderr } = await person.run(['serve'])
  const link = /(http:\/\/127\.0\.0\.1:\d+\/open\?token=\S+)/.exec(`${stdout}${stderr}`)?.[1]
  if (link === undefined) throw new Error(`no link:\n${stdout}\n${stderr}`)
  return link
}

async function openInPage(browser: Browser, person: Person): Promise<{ app: App; dispose: () => Promise<void> }> {
  let serve = await startServe(person)
  const problems: string[] = []
  const context: BrowserContext = await browser.newContext({
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const openPage = async () => {
    const page = await context.newPage()
    watchProblems(page, problems)
    return page
  }
  const page = await openPage()
  await page.goto(serve.link)
  await page.waitForURL(`${serve.address}/`)
  const app: App = {
    kind: 'page',
    person,
    page,
    problems,
    async openPage() {
      const another = await openPage()
      await another.goto(serve.address)
      return another
    },
    get serve() {
      return serve
    },
    answerSave: () => Promise.reject(new Error('A browser downloads')),
    async restart(signal) {
      serve.running.child.kill(signal)
      await serve.running.done
      serve = await startServe(person, ['--port', String(serve.port)])
    },
  }
  const dispose = async () => {
    await context.close()
    serve.running.child.kill('SIGINT')
    const timer = setTimeout(() => serve.running.child.kill('SIGKILL'), 15_000)
    await serve.running.done
    clearTimeout(timer)
  }
  return { app, dispose }
}

/** The host starts its server in a moment, not in three seconds. */
const FAST_DEMO = { SPEEDGRID_DEMO_START_SECONDS: '1', FORCE_COLOR: undefined }

export const test = base.extend<{ person: Person; app: App }>({
  // oxlint-disable-next-line no-empty-pattern -- playwright reads the fixture's needs from the pattern
  person: async ({}, use) => {
    const person = createPerson(FAST_DEMO)
    mkdirSync(join(person.home, '.ssh'), { mode: 0o700 })
    await use(person)
    person.dispose()
  },
  app: async ({ person, browser }, use, testInfo) => {
    const opened = testInfo.project.name === 'window' ? await openWindow(person) : await openInPage(browser, person)
    await use(opened.app)
    await opened.dispose()
  },
})
