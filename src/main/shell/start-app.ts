import { join } from 'node:path'
import { app, dialog, Menu, nativeTheme, powerMonitor, session } from 'electron'
import type { ErrorInfo } from '../../shared/model/error.ts'
import { createChosenPaths } from './bridge/chosen-paths.ts'
import { createFileDialogs } from './bridge/file-dialogs.ts'
import { createHandlers } from './bridge/handlers.ts'
import { createHub } from './bridge/hub.ts'
import { createTransport } from './bridge/transport.ts'
import { startOwnEngine } from './engine-link/start-engine.ts'
import { createEngines } from './engines.ts'
import { menuTemplate } from './menu/menu-template.ts'
import { serveAppPages } from './pages/app-protocol.ts'
import type { Paths } from './paths.ts'
import { createQuitting } from './quitting.ts'
import { createKeyring } from './secrets/keyring.ts'
import { createSecretStore, keptSecretsSchema } from './secrets/secret-store.ts'
import { limitPermissions } from './security/permissions.ts'
import { createJsonFile } from './system/json-file.ts'
import { createKeepAwake } from './system/keep-awake.ts'
import { createNotices } from './system/notices.ts'
import { needingThisMachine, progressOf } from './system/progress.ts'
import { runNotice } from './system/run-notice.ts'
import { createAttachWindow } from './window/attach-window.ts'
import { createKeptState } from './window/kept-state.ts'
import { windowStateSchema } from './window/window-state.ts'
import { createWindows } from './window/windows.ts'

export interface StartOptions {
  paths: Paths
  dataDir: string | undefined
  route: string | undefined
}

/** Puts the parts of the window together. Called once, when Electron is ready. */
export function startApp({ paths, dataDir, route }: StartOptions) {
  const isMac = process.platform === 'darwin'
  const userData = app.getPath('userData')
  const { defaultSession } = session
  const hub = createHub()
  serveAppPages(defaultSession, paths.pages)
  limitPermissions(defaultSession)

  const kept = createKeptState(createJsonFile(join(userData, 'window-state.json'), windowStateSchema))
  const secrets = createSecretStore({
    file: createJsonFile(join(userData, 'secrets.json'), keptSecretsSchema),
    keyring: createKeyring(process.platform),
  })
  const chosen = createChosenPaths()
  const keepAwake = createKeepAwake()
  const notices = createNotices({ isFocused: () => windows.isFocused(), show: (to) => show(to) })
  const quitting = createQuitting({ windows: () => windows, sweeps: () => engines.sweeps(), endEngines: () => engines.dispose() })
  const windows = createWindows({
    hub,
    kept,
    preload: paths.preload,
    icon: paths.icon,
    holdsLast: () => {
      if (isMac || quitting.isEnding()) return false
      void quitting.begin({ ask: true })
      return true
    },
  })
  const show = (to?: string) => {
    quitting.shown()
    windows.show(to)
  }
  const attachWindow = createAttachWindow({ preload: paths.preload })
  const tellOnce = createTeller()

  const engines = createEngines({
    hub,
    startOwn: (events) =>
      startOwnEngine({
        paths,
        dataDir,
        events: {
          ...events,
          state: (state) => {
            if (state === 'up') tellOnce.reset()
            events.state(state)
          },
        },
      }),
    onSweeps: (sweeps) => {
      keepAwake.set(needingThisMachine(sweeps).length > 0)
      const { value, mode } = progressOf(sweeps)
      windows.progress(value, mode)
      quitting.sweepsChanged()
    },
    onEnded: (run) => {
      const notice = runNotice(run)
      if (notice !== undefined) notices.notify(notice)
    },
    onFailed: (error) => {
      tellOnce.tell(error)
    },
    onChange: (attachedTo) => {
      attachWindow.close()
      windows.startOver(attachedTo === undefined ? 'Speedgrid' : `Speedgrid — ${attachedTo}`)
      setMenu()
    },
    onRefused: (label) => {
      dialog.showErrorBox(
        'Not attached any more',
        `The engine at ${label} needs a new link: attach again with one that \`speedgrid serve\` prints.`,
      )
    },
  })

  const setMenu = () => {
    const facts = { isMac, isPackaged: app.isPackaged, isAttached: engines.attachedTo() !== undefined }
    const actions = {
      command: (id: string) => {
        windows.command(id)
      },
      newWindow: () => void windows.open(undefined, windows.front()),
      attach: () => {
        attachWindow.open(windows.front())
      },
      detach: () => void engines.detach(),
      about: () => {
        app.showAboutPanel()
      },
    }
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(facts, actions)))
  }
  setMenu()

  const dialogs = createFileDialogs({ chosen, documents: app.getPath('documents') })
  createTransport({
    handlers: createHandlers({ hub, kept, secrets, notices, dialogs, chosen, engines }),
    memberOf: (contents) => windows.memberOf(contents) ?? attachWindow.memberOf(contents),
  })
  nativeTheme.on('updated', () => {
    windows.recolor()
  })
  powerMonitor.on('resume', () => {
    engines.resumed()
  })
  app.on('browser-window-focus', () => {
    notices.seen()
  })
  windows.open(route)
  return { show, quitting, hasWindow: () => windows.all().length > 0 }
}

/** A failure that lasts is told once, not at each new try. */
function createTeller() {
  let told = false
  return {
    reset() {
      told = false
    },
    tell({ cause, evidence, nextStep }: ErrorInfo) {
      if (told) return
      told = true
      const detail = [evidence.join('\n'), nextStep].filter((part) => part !== undefined && part !== '').join('\n\n')
      void dialog.showMessageBox({
        type: 'error',
        title: 'Speedgrid',
        message: `The engine does not start: ${cause}`,
        detail,
        noLink: true,
      })
    },
  }
}
