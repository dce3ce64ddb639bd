import { contextBridge, ipcRenderer } from 'electron'

const CHANNEL = 'speedgrid'

/** The whole bridge: text out, text in. What it means is checked by the shell (src/main/shell/bridge). */
contextBridge.exposeInMainWorld('speedgrid', {
  send: (text: string): void => {
    if (typeof text === 'string') ipcRenderer.send(CHANNEL, text)
  },
  onMessage: (listener: (text: string) => void): (() => void) => {
    const hear = (_event: unknown, text: unknown) => {
      if (typeof text === 'string') listener(text)
    }
    ipcRenderer.on(CHANNEL, hear)
    return () => {
      ipcRenderer.removeListener(CHANNEL, hear)
    }
  },
})
