import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { electronPath } from '../support/window.ts'
import { callShell, expect, expectVisible, test, waitForEngine } from './desk.ts'

test('a second start ends and brings the first window to the front', async ({ office }) => {
  const first = await office.start()
  await waitForEngine(first.page)
  await first.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.hide()
  })
  const args = [process.cwd(), `--user-data-dir=${office.userData}`, '--no-sandbox', 'speedgrid://run/01JABC']
  const second = spawn(electronPath() ?? '', args, { env: office.person.env, stdio: 'ignore' })
  const code = await new Promise((resolve) => second.once('exit', resolve))
  expect(code).toBe(0)
  await expectVisible(first.app)
  await expect(first.page).toHaveURL(/#\/sweep\/01JABC/)
})

test('size, place, zoom and appearance are as they were left', async ({ office }) => {
  const first = await office.start()
  await waitForEngine(first.page)
  const bounds = { x: 40, y: 60, width: 900, height: 620 }
  await expectVisible(first.app)
  await first.app.evaluate(({ BrowserWindow }, to) => {
    const [window] = BrowserWindow.getAllWindows()
    window?.setBounds(to)
    window?.webContents.setZoomFactor(1.25)
  }, bounds)
  // As a person does it: what the engine keeps of it is told to the shell again at each start of a page.
  await first.choose('app.settings')
  await first.page.getByText('Dark', { exact: true }).click()
  const kept = () => JSON.parse(readFileSync(join(office.userData, 'window-state.json'), 'utf8')) as unknown
  await expect.poll(kept).toMatchObject({ bounds, appearance: 'dark' })
  await first.quit()
  const second = await office.start()
  const found = await second.app.evaluate(({ BrowserWindow, nativeTheme }) => {
    const [window] = BrowserWindow.getAllWindows()
    return {
      bounds: window?.getNormalBounds(),
      zoom: window?.webContents.getZoomFactor(),
      background: window?.getBackgroundColor(),
      theme: nativeTheme.themeSource,
    }
  })
  expect(found).toMatchObject({ bounds, background: '#101317', theme: 'dark' })
  expect(found.zoom).toBeCloseTo(1.25, 2)
})

test('a page that crashed is loaded again, with a notice', async ({ desk }) => {
  await waitForEngine(desk.page)
  await desk.answerDialogs({ response: 0 })
  await desk.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer()
  })
  await expect
    .poll(() => desk.asked())
    .toMatchObject([{ message: 'The page of this window stopped working and was loaded again.' }])
  const text = () =>
    desk.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]
        ?.webContents.executeJavaScript('document.body.innerText')
        .catch(() => ''),
    )
  await expect.poll(text).toContain('Hosts')
  await expect.poll(text).not.toContain('Waiting for the engine')
})

test('without a keyring a secret is not kept, and that is said', async ({ desk, office }) => {
  const abilities = await desk.call('abilities', null)
  const canKeep = await desk.app.evaluate(({ safeStorage }) => safeStorage.isEncryptionAvailable())
  test.skip(canKeep, 'this machine has a keyring')
  expect(abilities.value).toMatchObject({ secrets: 'ask-again', secretsNote: expect.stringContaining('ask again') })
  const kept = await desk.call('keepSecret', { name: 'Password of lab', value: 'correct horse battery' })
  expect(kept).toMatchObject({ ok: false, error: expect.stringContaining('Not stored') })
  expect(await desk.call('keptSecrets', null)).toMatchObject({ value: [] })
  const path = join(office.userData, 'secrets.json')
  expect(existsSync(path) && readFileSync(path, 'utf8').includes('battery')).toBe(false)
})

test('a page that asks the engine itself can write over nothing that was not chosen', async ({ desk, office }) => {
  await waitForEngine(desk.page)
  const write = (path: string) =>
    desk.page.evaluate(
      (to) =>
        new Promise<string>((resolve) => {
          const { speedgrid } = window as unknown as {
            speedgrid: { send(text: string): void; onMessage(listener: (text: string) => void): () => void }
          }
          const id = 987_654
          const leave = speedgrid.onMessage((text) => {
            const { from, data } = JSON.parse(text) as { from: string; data?: string }
            if (from !== 'engine' || data === undefined || !data.includes(`"id":${String(id)}`)) return
            leave()
            resolve(data)
          })
          const params = { path: 'reports.write', input: { runId: 'none', format: 'md', path: to } }
          speedgrid.send(JSON.stringify({ to: 'engine', data: JSON.stringify({ id, method: 'mutation', params }) }))
        }),
      path,
    )
  const own = join(office.person.home, '.bashrc')
  writeFileSync(own, 'mine')
  expect(await write(own)).toContain('was not chosen in a dialog')
  // Chosen to be read is not chosen to be written.
  await desk.answerDialogs({ filePath: own })
  await desk.call('openFile', { title: 'Identity file' })
  expect(await write(own)).toContain('was not chosen in a dialog')
  const path = join(office.person.temporary, 'report.md')
  await desk.answerDialogs({ filePath: path })
  await desk.call('saveFile', { suggestedName: 'report.md', extensions: ['md'] })
  expect(await write(own)).toContain('was not chosen in a dialog')
  expect(await write(path)).toContain('There is no run')
  expect(await write(path)).toContain('was not chosen in a dialog')
  expect(readFileSync(own, 'utf8')).toBe('mine')
})

test('the shell shows and writes only files that were chosen', async ({ desk, office }) => {
  await waitForEngine(desk.page)
  const path = join(office.person.temporary, 'report.pdf')
  const print = (to: string, format = 'pdf') =>
    callShell(desk.page, 'printReport', {
      html: '<h1>Speed test matrix</h1><script>document.title="ran"</script>',
      format,
      path: to,
    })
  expect(await print('/etc/cron.d/speedgrid')).toMatchObject({ ok: false })
  expect(await desk.call('reveal', { path: '/etc/passwd' })).toMatchObject({ ok: false })
  await desk.answerDialogs({ filePath: path })
  expect(await desk.call('saveFile', { suggestedName: '../../etc/pass:wd.pdf', extensions: ['pdf'] })).toMatchObject({
    value: path,
  })
  expect((await desk.asked())[0]?.message).toMatch(/\/pass_wd\.pdf$/)
  expect(await print(path)).toMatchObject({ ok: true, value: { path } })
  expect(readFileSync(path).subarray(0, 5).toString()).toBe('%PDF-')
  // Once for each time it was chosen.
  expect(await print(path, 'png')).toMatchObject({ ok: false })
  await desk.call('saveFile', { suggestedName: 'report.png', extensions: ['png'] })
  expect(await print(path, 'png')).toMatchObject({ ok: true })
  expect([...readFileSync(path).subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47])
})
