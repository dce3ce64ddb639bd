import { type BrowserWindow, dialog } from 'electron'

const WITHIN_MS = 60_000
const MOST = 3

/** A page that crashed is loaded again, with a notice; one that keeps crashing, or hangs, is the person's decision. */
export function recoverPage(window: BrowserWindow): void {
  let crashes: number[] = []
  const { webContents } = window
  const reload = () => {
    if (!window.isDestroyed()) webContents.reload()
  }
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    const now = Date.now()
    crashes = [...crashes.filter((at) => now - at < WITHIN_MS), now]
    if (crashes.length <= MOST) {
      reload()
      void tell(window, reason)
    } else void askToReload(window, reason).then((wanted) => (wanted ? reload() : window.destroy()))
  })

  let question: AbortController | undefined
  window.on('unresponsive', () => {
    if (question !== undefined) return
    question = new AbortController()
    void askToWait(window, question.signal).then((wanted) => {
      question = undefined
      if (wanted === 'reload' && !window.isDestroyed()) {
        webContents.forcefullyCrashRenderer()
      }
    })
  })
  window.on('responsive', () => {
    question?.abort()
  })
}

const tell = (window: BrowserWindow, reason: string) =>
  dialog.showMessageBox(window, {
    type: 'warning',
    title: 'Speedgrid',
    message: 'The page of this window stopped working and was loaded again.',
    detail: `Reason: ${reason}. The engine and its sweeps were not touched; nothing that was measured is lost.`,
    buttons: ['OK'],
    noLink: true,
  })

async function askToReload(window: BrowserWindow, reason: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    title: 'Speedgrid',
    message: 'The page of this window keeps stopping.',
    detail: `Reason: ${reason}. The engine and its sweeps run on; “speedgrid serve” shows the same screens in a browser.`,
    buttons: ['Load again', 'Close the window'],
    cancelId: 1,
    noLink: true,
  })
  return response === 0
}

async function askToWait(window: BrowserWindow, signal: AbortSignal): Promise<'wait' | 'reload'> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    title: 'Speedgrid',
    message: 'The page of this window does not respond.',
    detail: 'The engine and its sweeps are not affected.',
    buttons: ['Wait', 'Load again'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
    signal,
  })
  return response === 1 ? 'reload' : 'wait'
}
