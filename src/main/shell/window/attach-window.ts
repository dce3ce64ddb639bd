import { BrowserWindow, type WebContents } from 'electron'
import { APP_ORIGIN } from '../bridge/sender.ts'
import type { Member } from '../bridge/transport.ts'
import { groundColor } from './kept-state.ts'
import { webPreferences } from './web-preferences.ts'

/** Asks for the link of a running `speedgrid serve`. A window of its own, so that it is there when no engine is. */
export function createAttachWindow({ preload }: { preload: string }) {
  let window: BrowserWindow | undefined
  return {
    open(parent: BrowserWindow | undefined) {
      if (window !== undefined) {
        window.focus()
        return
      }
      const opened = new BrowserWindow({
        width: 540,
        height: 300,
        useContentSize: true,
        resizable: false,
        minimizable: false,
        maximizable: false,
        show: false,
        title: 'Attach to an engine',
        backgroundColor: groundColor(),
        ...(parent === undefined ? {} : { parent, modal: true }),
        webPreferences: webPreferences(preload),
      })
      window = opened
      opened.removeMenu()
      opened.once('ready-to-show', () => {
        opened.show()
      })
      opened.on('closed', () => {
        window = undefined
      })
      void opened.loadURL(`${APP_ORIGIN}/shell/attach.html`)
    },
    close() {
      window?.close()
    },
    memberOf: (contents: WebContents): Member | undefined =>
      window?.webContents === contents ? { contents, calls: ['attach'] } : undefined,
  }
}
