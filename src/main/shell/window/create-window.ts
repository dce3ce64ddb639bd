import { BrowserWindow, screen } from 'electron'
import { APP_ORIGIN } from '../bridge/sender.ts'
import { groundColor, type KeptState } from './kept-state.ts'
import { webPreferences } from './web-preferences.ts'
import { placeWindow, SMALLEST } from './window-state.ts'

/** Shown when there is something to see; a page that takes this long is shown as it is. */
const SHOW_LIMIT_MS = 4000
const KEEP_AFTER_MS = 400

interface WindowOptions {
  kept: KeptState
  preload: string
  icon?: string | undefined
  route?: string | undefined
  /** A little beside the window that is there already. */
  beside?: BrowserWindow | undefined
}

export function createAppWindow({ kept, preload, icon, route, beside }: WindowOptions): {
  window: BrowserWindow
  keep: () => void
} {
  const state = kept.get()
  const areas = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map((display) => display.workArea)
  const from = beside?.getNormalBounds() ?? state.bounds
  const place = placeWindow(
    beside === undefined || from === undefined ? from : { ...from, x: from.x + 28, y: from.y + 28 },
    areas,
  )
  const window = new BrowserWindow({
    ...place,
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    title: 'Speedgrid',
    backgroundColor: groundColor(),
    ...(icon === undefined ? {} : { icon }),
    webPreferences: webPreferences(preload),
  })
  if (beside === undefined && state.maximized) window.maximize()
  if (beside === undefined && state.fullScreen) window.setFullScreen(true)
  showWhenReady(window)
  const keep = keepState(window, kept)
  // The title says which engine the window is at; the page's own title would say less.
  window.on('page-title-updated', (event) => {
    event.preventDefault()
  })
  window.webContents.on('did-finish-load', () => {
    window.webContents.setZoomFactor(kept.get().zoom)
  })
  void window.loadURL(`${APP_ORIGIN}/index.html${route ?? ''}`).catch((error: unknown) => {
    console.error('The page of the window could not be loaded:', error)
  })
  return { window, keep }
}

function showWhenReady(window: BrowserWindow) {
  const show = () => {
    clearTimeout(late)
    if (!window.isDestroyed() && !window.isVisible()) window.show()
  }
  const late = setTimeout(show, SHOW_LIMIT_MS)
  window.once('ready-to-show', show)
}

function keepState(window: BrowserWindow, kept: KeptState) {
  let later: NodeJS.Timeout | undefined
  const keep = () => {
    clearTimeout(later)
    if (window.isDestroyed() || window.isMinimized() || !window.isVisible()) return
    kept.change({
      bounds: window.getNormalBounds(),
      maximized: window.isMaximized(),
      fullScreen: window.isFullScreen(),
      zoom: Math.min(5, Math.max(0.25, window.webContents.getZoomFactor())),
    })
  }
  const soon = () => {
    clearTimeout(later)
    later = setTimeout(keep, KEEP_AFTER_MS)
  }
  window.on('resize', soon)
  window.on('move', soon)
  window.on('maximize', soon)
  window.on('unmaximize', soon)
  window.on('enter-full-screen', soon)
  window.on('leave-full-screen', soon)
  window.on('close', keep)
  window.on('closed', () => {
    clearTimeout(later)
  })
  return keep
}
