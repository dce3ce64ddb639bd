import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { BrowserWindow, session } from 'electron'
import { APP_ORIGIN, APP_SCHEME } from '../bridge/sender.ts'

/** The report's own width; its height is what it needs. */
const WIDTH = 1200
/** Chromium's textures end somewhere beyond 16,000 pixels; two per CSS pixel below that. */
const HIGHEST = 16_000
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"

/** The report's HTML as PDF or PNG: a hidden page without script, in a session of its own that reaches nothing but this text. */
export async function printReport({ html, format, path }: { html: string; format: 'pdf' | 'png'; path: string }): Promise<void> {
  const own = session.fromPartition(`print-${randomUUID()}`)
  const address = `${APP_ORIGIN}/report.html`
  own.setPermissionRequestHandler((_contents, _permission, answer) => {
    answer(false)
  })
  own.webRequest.onBeforeRequest(({ url }, answer) => {
    answer({ cancel: url !== address && !url.startsWith('data:image/') })
  })
  own.protocol.handle(APP_SCHEME, () => {
    return new Response(html, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
      },
    })
  })
  const window = new BrowserWindow({
    show: false,
    width: WIDTH,
    height: 900,
    backgroundColor: '#ffffff',
    webPreferences: {
      session: own,
      // A window that was never shown paints nothing, and a picture of it would be waited for in vain.
      offscreen: true,
      javascript: false,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
    },
  })
  try {
    await window.loadURL(address)
    const bytes = format === 'pdf' ? await asPdf(window) : await asPng(window)
    await writeWhole(path, bytes)
  } finally {
    window.destroy()
    own.protocol.unhandle(APP_SCHEME)
  }
}

const asPdf = (window: BrowserWindow) =>
  window.webContents.printToPDF({ printBackground: true, preferCSSPageSize: true, pageSize: 'A4' })

/** Over the debugger protocol: it sees the whole page and needs no script in it. */
async function asPng(window: BrowserWindow): Promise<Buffer> {
  const { debugger: chromium } = window.webContents
  chromium.attach('1.3')
  try {
    await chromium.sendCommand('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'light' }] })
    const metrics = (await chromium.sendCommand('Page.getLayoutMetrics')) as { cssContentSize: { height: number } }
    const height = Math.ceil(metrics.cssContentSize.height)
    const scale = height * 2 <= HIGHEST ? 2 : 1
    const clip = { x: 0, y: 0, width: WIDTH, height: Math.min(height, HIGHEST), scale }
    const shot = (await chromium.sendCommand('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip })) as {
      data: string
    }
    return Buffer.from(shot.data, 'base64')
  } finally {
    chromium.detach()
  }
}

/** Whole or not at all. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const next = `${path}.${String(process.pid)}.new`
  try {
    await writeFile(next, bytes)
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}
