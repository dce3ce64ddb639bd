import { BrowserWindow, type WebContents } from 'electron'
import type { Hub } from '../bridge/hub.ts'
import { type Member, sendToPage } from '../bridge/transport.ts'
import { createAppWindow } from './create-window.ts'
import { groundColor, type KeptState } from './kept-state.ts'
import { recoverPage } from './recovery.ts'

interface WindowsDeps {
  hub: Hub
  kept: KeptState
  preload: string
  icon: string | undefined
  /** The last window is about to close; true keeps it. */
  holdsLast: () => boolean
}

/** The windows of the app, each with a page and a connection of its own. */
export function createWindows({ hub, kept, preload, icon, holdsLast }: WindowsDeps) {
  const members = new Map<BrowserWindow, Member>()
  const keepers = new Map<BrowserWindow, () => void>()
  let title = 'Speedgrid'
  let latest: BrowserWindow | undefined

  function open(route?: string, beside?: BrowserWindow): BrowserWindow {
    const { window, keep } = createAppWindow({ kept, preload, icon, route, beside })
    const { webContents: contents } = window
    const page = hub.addPage((message) => {
      sendToPage(contents, message)
    })
    members.set(window, { contents, page })
    keepers.set(window, keep)
    latest = window
    window.setTitle(title)
    recoverPage(window)
    // A reload is another page: what the one before it asked for is over.
    contents.on('did-start-navigation', (details) => {
      if (details.isMainFrame && !details.isSameDocument) page.disconnect()
    })
    contents.on('render-process-gone', () => {
      page.disconnect()
    })
    window.on('focus', () => {
      latest = window
    })
    window.on('close', (event) => {
      if (members.size === 1 && holdsLast()) event.preventDefault()
    })
    window.on('closed', () => {
      page.dispose()
      members.delete(window)
      keepers.delete(window)
      latest = [...members.keys()].at(-1)
    })
    return window
  }

  const front = () => latest ?? [...members.keys()].at(-1)
  function show(route?: string) {
    const window = front()
    if (window === undefined) {
      open(route)
      return
    }
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    if (route !== undefined) sendToPage(window.webContents, { from: 'shell', event: 'open', route })
  }

  return {
    open,
    show,
    front,
    all: () => [...members.keys()],
    memberOf: (contents: WebContents) => [...members.values()].find((member) => member.contents === contents),
    isFocused: () => BrowserWindow.getFocusedWindow() !== null,
    command(id: string) {
      const window = BrowserWindow.getFocusedWindow()
      const target = window !== null && members.has(window) ? window : front()
      if (target !== undefined) sendToPage(target.webContents, { from: 'shell', event: 'menu', command: id })
    },
    /** Another engine: everything the pages show is another machine's. */
    startOver(nextTitle: string) {
      title = nextTitle
      for (const window of members.keys()) {
        window.setTitle(title)
        window.webContents.reload()
      }
    },
    recolor() {
      for (const window of members.keys()) window.setBackgroundColor(groundColor())
    },
    hide() {
      for (const keep of keepers.values()) keep()
      for (const window of members.keys()) window.hide()
    },
    progress(value: number, mode: 'none' | 'normal' | 'indeterminate' | 'paused') {
      for (const window of members.keys()) window.setProgressBar(value, { mode })
    },
  }
}
export type Windows = ReturnType<typeof createWindows>
