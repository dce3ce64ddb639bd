import { expect, expectVisible, test, waitForEngine } from './desk.ts'

test('the window comes up with the page, its engine and its title', async ({ desk }) => {
  await expect(desk.page.getByRole('link', { name: 'Hosts' })).toBeVisible()
  await waitForEngine(desk.page)
  expect(desk.page.url()).toMatch(/^app:\/\/speedgrid\/index\.html/)
  await expectVisible(desk.app)
  const titles = await desk.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.getTitle()))
  expect(titles).toEqual(['Speedgrid'])
})

test('the bridge is two functions, and nothing of Node is there', async ({ desk }) => {
  const found = await desk.page.evaluate(() => {
    const all = globalThis as unknown as Record<string, unknown>
    return {
      bridge: Object.entries(all.speedgrid as object).map(([name, value]) => `${name}: ${typeof value}`),
      node: ['require', 'process', 'Buffer', 'module', 'global', '__dirname', 'electron', 'ipcRenderer'].filter(
        (name) => name in all,
      ),
    }
  })
  expect(found).toEqual({ bridge: ['send: function', 'onMessage: function'], node: [] })
})

test('the options of the window are the safe ones', async ({ desk }) => {
  const options = await desk.app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
      getLastWebPreferences(): Record<string, unknown>
    }
    return contents.getLastWebPreferences()
  })
  expect(options).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    webSecurity: true,
  })
  expect(options.nodeIntegrationInWorker ?? false).toBe(false)
})

test('the native menu reaches the page', async ({ desk }) => {
  await waitForEngine(desk.page)
  await desk.choose('go.history')
  await expect(desk.page).toHaveURL(/#\/history/)
  await desk.choose('app.settings')
  await expect(desk.page).toHaveURL(/#\/settings/)
  await desk.choose('appearance.dark')
  await expect(desk.page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await expect.poll(() => desk.app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('dark')
})

test('a second window has a page and a connection of its own', async ({ desk }) => {
  await waitForEngine(desk.page)
  const opened = desk.app.waitForEvent('window')
  await desk.choose('window.new')
  const second = await opened
  await waitForEngine(second)
  await expect(second.getByRole('link', { name: 'Hosts' })).toBeVisible()
  await second.close()
  await desk.page.reload()
  await waitForEngine(desk.page)
})
