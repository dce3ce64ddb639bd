import { join } from 'node:path'
import { app, dialog, nativeTheme, powerMonitor, session } from 'electron'
import { createChosenPaths } from './bridge/chosen-paths.ts'
import { createFileDialogs } from './bridge/file-dialogs.ts'
import { createHandlers } from './bridge/handlers.ts'
import { createHub } from './bridge/hub.ts'
import { createTransport } from './bridge/transport.ts'
import { startOwnEngine } from './engine-link/start-engine.ts'
import { createEngines, type EnginesDeps } from './engines.ts'
import { installMenu } from './menu/install-menu.ts'
import { serveAppPages } from './pages/app-protocol.ts'
import type { Paths } from './paths.ts'
import { createQuitting, type Quitting } from './quitting.ts'
import { createKeyring } from './secrets/keyring.ts'
import { createSecretStore, keptSecretsSchema } from './secrets/secret-store.ts'
import { limitPermissions } from './security/permissions.ts'
import { createFailureTeller } from './system/failure-teller.ts'
import { createJsonFile } from './system/json-file.ts'
import { createKeepAwake } from './system/keep-awake.ts'
import { createNotices } from './system/notices.ts'
import { needingThisMachine, progressOf } from './system/progress.ts'
import { runNotice } from './system/run-notice.ts'
import { createAttachWindow } from './window/attach-window.ts'
import { createKeptState } from './window/kept-state.ts'
import { windowStateSchema } from './window/window-state.ts'
import { createWindows, type Windows } from './window/windows.ts'

interface StartOptions {
  paths: Paths
  dataDir: string | undefined
  route: string | undefined
}

/** Puts the parts of the window together. Called once, when Electron is ready. */
export function startApp({ paths, dataDir, route }: StartOptions) {
  const { defaultSession } = session
  serveAppPages(defaultSession, paths.pages)
  limitPermissions(defaultSession)

  const hub = createHub()
  const inUserData = (name: string) => join(app.getPath('userData'), name)
  const kept = createKeptState(createJsonFile(inUserData('window-state.json'), windowStateSchema))
  const secrets = createSecretStore({
    file: createJsonFile(inUserData('secrets.json'), keptSecretsSchema),
    keyring: createKeyring(process.platform),
  })
  const chosen = createChosenPaths()
  const quitting = createQuitting({
    windows: () => windows,
    sweeps: () => engines.sweeps(),
    endEngines: () => engines.dispose(),
  })
  const windows = createWindows({
    hub,
    kept,
    preload: paths.preload,
    icon: paths.icon,
    // On a Mac an app lives on without windows.
    holdsLast: () => {
      if (process.platform === 'darwin' || quitting.isEnding()) return false
      void quitting.begin({ ask: true })
      return true
    },
  })
  const show = (to?: string) => {
    quitting.shown()
    windows.show(to)
  }
  const notices = createNotices({ isFocused: () => windows.isFocused(), show })
  const attachWindow = createAttachWindow({ preload: paths.preload })
  const setMenu = () => {
    installMenu({
      windows,
      engines,
      attach: () => {
        attachWindow.open(windows.front())
      },
    })
  }
  const engines = createEngines({
    hub,
    ...reactions({ paths, dataDir, windows, quitting, notices }),
    onChange: (attachedTo) => {
      attachWindow.close()
      windows.startOver(attachedTo === undefined ? 'Speedgrid' : `Speedgrid — ${attachedTo}`)
      setMenu()
    },
  })
  setMenu()

  const dialogs = createFileDialogs({ chosen, documents: app.getPath('documents'), vouch: engines.vouch })
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
  // The system goes down; nobody waits for an answer.
  powerMonitor.on('shutdown', () => {
    void quitting.begin({ ask: false })
  })
  app.on('browser-window-focus', () => {
    notices.seen()
  })
  windows.open(route)
  return { show, quitting }
}

interface ReactionDeps {
  paths: Paths
  dataDir: string | undefined
  windows: Windows
  quitting: Quitting
  notices: ReturnType<typeof createNotices>
}

/** What the app does at what its own engine tells. */
function reactions({ paths, dataDir, windows, quitting, notices }: ReactionDeps): Omit<EnginesDeps, 'hub' | 'onChange'> {
  const keepAwake = createKeepAwake()
  const failures = createFailureTeller()
  return {
    startOwn: (events) => {
      const state: typeof events.state = (next) => {
        if (next === 'up') failures.reset()
        events.state(next)
      }
      return startOwnEngine({ paths, dataDir, events: { ...events, state } })
    },
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
      failures.tell(error)
    },
    onRefused: (label) => {
      dialog.showErrorBox(
        'Not attached any more',
        `The engine at ${label} needs a new link: attach again with one that “speedgrid serve” prints.`,
      )
    },
  }
}
