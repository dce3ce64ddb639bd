import { resolve } from 'node:path'
import { app } from 'electron'
import { createPaths } from './paths.ts'
import { registerAppScheme } from './pages/app-protocol.ts'
import { openExternally } from './security/external-links.ts'
import { guardAllPages } from './security/guards.ts'
import { startApp } from './start-app.ts'
import { deepLinkIn, deepLinkRoute } from './system/deep-link.ts'

const paths = createPaths(__dirname)

/** `--data-dir DIR` or `--data-dir=DIR` among Electron's own words. */
function dataDirIn(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === '--data-dir' || word.startsWith('--data-dir='))
  const value = at < 0 ? undefined : argv[at]?.split('=').slice(1).join('=') || argv[at + 1]
  return value === undefined ? undefined : resolve(value)
}

function main() {
  app.setName('Speedgrid')
  app.setAppUserModelId('dev.speedgrid.app')
  // Root (a container, CI) can't have Chromium's sandbox and says so with --no-sandbox; insisting ends every helper process.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
  registerAppScheme()
  guardAllPages((url, from) => void openExternally(url, from))
  if (app.isPackaged) app.setAsDefaultProtocolClient('speedgrid')

  let started: ReturnType<typeof startApp> | undefined
  let firstRoute = deepLinkIn(process.argv)
  // A second start brings the first one's window to the front, and says so by ending.
  app.on('second-instance', (_event, argv) => {
    started?.show(deepLinkIn(argv))
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    // On macOS the address that started us comes before we are ready.
    if (started === undefined) firstRoute = deepLinkRoute(url)
    else started.show(deepLinkRoute(url))
  })
  app.on('activate', () => {
    started?.show()
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('before-quit', (event) => {
    if (started === undefined || started.quitting.isOver()) return
    event.preventDefault()
    void started.quitting.begin({ ask: true })
  })
  // Nobody is there to be asked.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (started === undefined) app.exit(0)
      else void started.quitting.begin({ ask: false })
    })
  }
  void app.whenReady().then(() => {
    started = startApp({ paths, dataDir: dataDirIn(process.argv), route: firstRoute })
  })
}

if (app.requestSingleInstanceLock()) main()
else app.quit()
