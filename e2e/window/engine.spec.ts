import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Desk, expect, isAlive, test, waitForEngine } from './desk.ts'

const banner = 'The engine is gone'

/** Never 0: a signal to that goes to the whole group of the test itself. */
function enginePid(desk: Desk): number {
  const [pid] = desk.enginePids()
  if (pid === undefined) throw new Error('The app has no engine')
  return pid
}

test('an engine that is killed comes back, and the page says what happened', async ({ desk }) => {
  const { page } = desk
  await waitForEngine(page)
  await page.evaluate(() => {
    const { speedgrid } = window as unknown as { speedgrid: { onMessage(listener: (text: string) => void): void } }
    const all = globalThis as unknown as { heard: string[] }
    all.heard = []
    speedgrid.onMessage((text) => {
      const { event, state } = JSON.parse(text) as { event?: string; state?: string }
      if (event === 'engine') all.heard.push(state ?? '')
    })
  })
  const before = enginePid(desk)
  process.kill(before, 'SIGKILL')
  await expect.poll(() => page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard)).toEqual(['restarting', 'up'])
  await waitForEngine(page)
  await expect.poll(() => desk.enginePids()).toHaveLength(1)
  expect(desk.enginePids()[0]).not.toBe(before)
  await expect(page.getByText(banner)).toBeHidden()
})

test('an engine that keeps dying shows the banner until one lives', async ({ desk }) => {
  const { page } = desk
  await waitForEngine(page)
  for (let death = 0; death < 4; death += 1) {
    await expect.poll(() => desk.enginePids()).toHaveLength(1)
    process.kill(enginePid(desk), 'SIGKILL')
    await expect.poll(() => desk.enginePids()).toHaveLength(0)
  }
  await expect(page.getByText(banner)).toBeVisible()
  await waitForEngine(page)
  await expect(page.getByText(banner)).toBeHidden()
})

test('a hung engine does not freeze the window', async ({ desk }) => {
  const { page } = desk
  await waitForEngine(page)
  const pid = enginePid(desk)
  process.kill(pid, 'SIGSTOP')
  try {
    await page.getByRole('link', { name: 'History' }).click()
    await expect(page).toHaveURL(/#\/history/)
    expect(await desk.call('abilities', null)).toMatchObject({ ok: true })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

test('the engine ends with the app, whichever way that ends', async ({ office }) => {
  const first = await office.start()
  await waitForEngine(first.page)
  const quietly = enginePid(first)
  await first.quit()
  expect(isAlive(quietly)).toBe(false)

  const second = await office.start()
  await waitForEngine(second.page)
  const suddenly = enginePid(second)
  second.child.kill('SIGKILL')
  await expect.poll(() => isAlive(suddenly)).toBe(false)
})

test('an engine that can not start is said once, with what to do, and tried again', async ({ office }) => {
  const dataDir = join(office.person.temporary, 'data')
  const desk = await office.start(['--data-dir', dataDir])
  await waitForEngine(desk.page)
  await desk.answerDialogs({ response: 0 })
  rmSync(dataDir, { recursive: true })
  writeFileSync(dataDir, 'no folder')
  process.kill(enginePid(desk), 'SIGKILL')
  await expect.poll(() => desk.asked()).toMatchObject([{ message: expect.stringContaining('The engine does not start') }])
  await expect(desk.page.getByText(banner)).toBeVisible()
  await desk.page.waitForTimeout(12_000)
  expect(await desk.asked()).toHaveLength(1)
  rmSync(dataDir)
  await waitForEngine(desk.page)
})
