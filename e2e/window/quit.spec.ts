import type { Page } from '@playwright/test'
import { startDemoLab } from '../support/lab.ts'
import { documentOf } from '../support/steps.ts'
import { type Desk, expect, isAlive, type Office, test } from './desk.ts'

/** A machine with a server on it, which outlives the app as a real one does. */
async function openLab(office: Office): Promise<Desk> {
  const lab = await startDemoLab(office.person)
  await lab.add(office.person)
  await lab.launch(office.person)
  return office.start()
}

/** With a tunnel its driver runs beside the engine, on this machine. */
async function startSweep(page: Page, driver: 'tunnel' | 'host', seconds: number): Promise<void> {
  await expect(page.getByText('lab', { exact: true }).first()).toBeVisible()
  const plan = { contexts: [0], concurrency: [1, 2], seconds, maxOutputTokens: 128, driver }
  const input = { target: { kind: 'server', host: 'lab' }, plan, name: 'Nightly' }
  await page.evaluate(
    (text) => {
      const { speedgrid } = window as unknown as { speedgrid: { send(text: string): void } }
      speedgrid.send(JSON.stringify({ to: 'engine', data: text }))
    },
    JSON.stringify({ id: 999_999, method: 'mutation', params: { path: 'sweeps.start', input } }),
  )
}

const awake = ({ app }: Desk) => app.evaluate(({ powerSaveBlocker }) => [0, 1, 2, 3].some((id) => powerSaveBlocker.isStarted(id)))

const isShown = ({ BrowserWindow }: { BrowserWindow: { getAllWindows(): { isVisible(): boolean }[] } }) =>
  BrowserWindow.getAllWindows().some((window) => window.isVisible())

test('quitting asks while a sweep is measured from this machine, and the machine stays awake for it', async ({ office }) => {
  const desk = await openLab(office)
  const { app, page, child } = desk
  await startSweep(page, 'tunnel', 3)
  // The question comes as soon as the sweep is going; until then quitting would just quit.
  await desk.answerDialogs({ response: 2 })
  await expect.poll(() => awake(desk)).toBe(true)

  await app.evaluate(({ app: electron }) => {
    setTimeout(() => electron.quit(), 0)
  })
  await expect.poll(() => desk.asked()).toHaveLength(1)
  const [asked] = await desk.asked()
  expect(asked?.message).toBe('“Nightly” is being measured from this machine.')
  expect(asked?.buttons).toEqual(['Keep measuring without a window', 'Interrupt and quit', 'Cancel'])
  expect(await app.evaluate(isShown)).toBe(true)

  // Without a window it measures on, and the app ends by itself after that.
  await desk.answerDialogs({ response: 0 })
  const [engine] = desk.enginePids()
  if (engine === undefined) throw new Error('The app has no engine')
  await app.evaluate(({ BrowserWindow }) => {
    setTimeout(() => BrowserWindow.getAllWindows()[0]?.close(), 0)
  })
  await expect.poll(() => app.evaluate(isShown)).toBe(false)
  expect(isAlive(engine)).toBe(true)
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
  expect(child.exitCode).toBe(0)
  expect(isAlive(engine)).toBe(false)
  const run = await documentOf(office.person)
  expect(run.state).toBe('finished')
})

test('a sweep that is interrupted by quitting keeps its finished cells', async ({ office }) => {
  const desk = await openLab(office)
  await startSweep(desk.page, 'tunnel', 20)
  await desk.answerDialogs({ response: 1 })
  await expect.poll(() => awake(desk)).toBe(true)
  await desk.quit()
  const run = await documentOf(office.person)
  expect(run.state).toBe('interrupted')
})

test('nothing is asked for a sweep that runs on its host, nor is the machine kept awake', async ({ office }) => {
  const desk = await openLab(office)
  await startSweep(desk.page, 'host', 20)
  await desk.answerDialogs({ response: 2 })
  const state = () =>
    documentOf(office.person).then(
      (run) => run.state,
      () => 'none yet',
    )
  await expect.poll(state).toBe('running')
  expect(await awake(desk)).toBe(false)
  // The answer would have been Cancel.
  await desk.quit()
})
