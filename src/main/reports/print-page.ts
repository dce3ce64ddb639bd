import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { SpeedgridError } from '../../shared/model/error.ts'
import { browserEnvironment } from './browser-environment.ts'
import { createDevTools, type DevTools } from './devtools-pipe.ts'

const LIMIT_MS = 60_000
const WIDTH = 1280
/** Chromium draws no picture with a longer side. */
const LONGEST_SIDE = 16_000

const dataSchema = z.object({ data: z.string() })
const sizeSchema = z.object({ cssContentSize: z.object({ height: z.number() }) })

/**
 * A self-contained HTML page as PDF or as one picture of its whole length, by an installed Chromium with a profile of its own that
 * is thrown away. Nothing is fetched: the page carries everything. Throws `remote` where the browser doesn't do it.
 */
export async function printPage(chromium: string, html: string, format: 'pdf' | 'png'): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'speedgrid-print-'))
  try {
    const page = join(folder, 'report.html')
    await writeFile(page, html, { mode: 0o600 })
    return await withBrowser(chromium, folder, (tools) => print(tools, pathToFileURL(page).href, format))
  } finally {
    // The browser's last helpers may still write into their profile.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(() => undefined)
  }
}

async function print(tools: DevTools, url: string, format: 'pdf' | 'png'): Promise<Buffer> {
  const { targetId } = z.object({ targetId: z.string() }).parse(await tools.call('Target.createTarget', { url: 'about:blank' }))
  const attached = await tools.call('Target.attachToTarget', { targetId, flatten: true })
  const { sessionId } = z.object({ sessionId: z.string() }).parse(attached)
  const call = (method: string, params: Record<string, unknown> = {}) => tools.call(method, params, sessionId)
  await call('Page.enable')
  const loaded = tools.event('Page.loadEventFired', sessionId)
  await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'light' }] })
  await call('Emulation.setDeviceMetricsOverride', { width: WIDTH, height: 800, deviceScaleFactor: 1, mobile: false })
  await call('Page.navigate', { url })
  await loaded
  if (format === 'pdf') {
    const printed = await call('Page.printToPDF', { printBackground: true, preferCSSPageSize: true, displayHeaderFooter: false })
    return Buffer.from(dataSchema.parse(printed).data, 'base64')
  }
  const { cssContentSize } = sizeSchema.parse(await call('Page.getLayoutMetrics'))
  const height = Math.min(Math.ceil(cssContentSize.height), LONGEST_SIDE)
  const deviceScaleFactor = height * 2 <= LONGEST_SIDE ? 2 : 1
  await call('Emulation.setDeviceMetricsOverride', { width: WIDTH, height, deviceScaleFactor, mobile: false })
  const clip = { x: 0, y: 0, width: WIDTH, height, scale: 1 }
  const shot = await call('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true })
  return Buffer.from(dataSchema.parse(shot).data, 'base64')
}

async function withBrowser<Result>(
  chromium: string,
  folder: string,
  work: (tools: DevTools) => Promise<Result>,
): Promise<Result> {
  const args = [
    '--headless=new',
    '--remote-debugging-pipe',
    `--user-data-dir=${join(folder, 'profile')}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-gpu',
    '--disable-extensions',
    '--disable-background-networking',
    '--disable-dev-shm-usage',
    '--hide-scrollbars',
    // Chromium's sandbox refuses root; the page is our own and runs no script.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    'about:blank',
  ]
  // It is ended by force: what it would leave among the temporary files lies in the folder that goes.
  const env = browserEnvironment(process.env, folder)
  const child = spawn(chromium, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], cwd: folder, env })
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000)
  })
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? String(code)}`))
  })
  const failed = exited.then((why) => {
    throw notPrinted(chromium, why, said)
  })
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(notPrinted(chromium, `no answer in ${String(LIMIT_MS / 1000)} s`, said)), LIMIT_MS)
  })
  failed.catch(() => undefined)
  try {
    const tools = createDevTools(child.stdio[3] as Writable, child.stdio[4] as Readable)
    return await Promise.race([work(tools), failed, limit])
  } catch (error) {
    throw error instanceof SpeedgridError
      ? error
      : notPrinted(chromium, error instanceof Error ? error.message : String(error), said)
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
    await exited
  }
}

function notPrinted(chromium: string, why: string, said: string): SpeedgridError {
  const lines = said.split('\n').filter((line) => line.trim() !== '')
  return new SpeedgridError('remote', `${chromium} did not print the report: ${why}.`, {
    evidence: lines.slice(-5).map((line) => line.slice(0, 300)),
    nextStep: 'Export HTML and print it from a browser, or name another Chromium with SPEEDGRID_CHROMIUM.',
  })
}
