/**
 * Memory of the renderer after an hour's worth of a sweep: 72,000 updates (20 a second), 1 event and 1 sample of telemetry a second, as
 * fast as the page takes them. `node bench/renderer-memory.ts [--minutes=60]`; needs a built renderer and a Chromium
 * (SPEEDGRID_CHROMIUM, else /usr/bin/chromium). Prints figures, gates nothing.
 */
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { chromium, type Browser, type CDPSession } from '@playwright/test'
import { startDevServer } from '../src/renderer/testing/dev-server.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } })
const SECONDS = 60 * Number(values.minutes)
const UPDATES_A_SECOND = 20
const MIB = 1024 * 1024
const executablePath = process.env['SPEEDGRID_CHROMIUM'] ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  console.log(`No Chromium at ${executablePath}; set SPEEDGRID_CHROMIUM.`)
  process.exit(0)
}

/** Private memory of the process that renders our page, MiB: the biggest renderer of this browser. */
async function rendererMiB(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const rollup = readFileSync(`/proc/${String(id)}/smaps_rollup`, 'utf8')
      const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0)
      return (kib('Private_Clean') + kib('Private_Dirty')) / 1024
    })
  return Math.max(...sizes)
}

async function heapMiB(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / MIB
}

const server = await startDevServer({ everyMs: 3_600_000, doneCells: 150 })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
  await page.goto(`${server.url}#/sweep/run-live`)
  await page.locator('[role="gridcell"]').nth(191).waitFor()
  const session = await page.context().newCDPSession(page)
  const { feed } = server.engine.sweep
  const cells = feed.value.cells.filter((cell) => cell.status === 'valid')
  const sample = feed.value.telemetry.at(-1)
  const say = async (what: string) => {
    console.log(
      `  ${what.padEnd(16)} heap ${(await heapMiB(session)).toFixed(1)} MiB, process ${(await rendererMiB(browser)).toFixed(0)} MiB private`,
    )
  }
  console.log(`${String(SECONDS * UPDATES_A_SECOND)} updates of ${String(feed.value.cells.length)} cells`)
  await say('at the start')
  for (let second = 0; second < SECONDS; second += 1) {
    for (let update = 0; update < UPDATES_A_SECOND; update += 1) {
      const cell = cells[(second * 7 + update) % cells.length]
      if (cell === undefined) break
      const isFirst = update === 0
      feed.push({
        head: { remainingSeconds: SECONDS - second },
        cells: [{ ...cell, totalTokensPerSecond: (cell.totalTokensPerSecond ?? 1) * (1 + 0.001 * (update % 9)) }],
        ...(isFirst && {
          events: [{ at: new Date().toISOString(), level: 'info' as const, text: `second ${String(second)} of the bench` }],
          ...(sample !== undefined && { telemetry: [{ ...sample, t: sample.t + second + 1 }] }),
        }),
      })
      // The socket has its turn, and the page is waited for now and then, so that nothing is only queued.
      if (update % 5 === 0) await new Promise((done) => setImmediate(done))
    }
    if (second % 30 === 29) await page.evaluate('new Promise((done) => requestAnimationFrame(done))')
    if (second === Math.floor(SECONDS / 2)) await say('half way')
  }
  await page.waitForTimeout(1000)
  await say('at the end')
} finally {
  await browser.close()
  await server.dispose()
}
