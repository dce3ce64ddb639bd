/**
 * What the live grid costs: 12 × 16 cells, 20 updates a second, each with one changed cell, the running cell and a beat.
 * `node bench/grid-updates.ts [--updates=400] [--folder=out/renderer]`; needs a built renderer and a Chromium (SPEEDGRID_CHROMIUM, else
 * /usr/bin/chromium). Prints figures, gates nothing.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type CDPSession, chromium } from '@playwright/test'
import { startDevServer } from '../src/renderer/testing/dev-server.ts'

const { values } = parseArgs({ options: { updates: { type: 'string', default: '400' }, folder: { type: 'string' } } })
const UPDATES = Number(values.updates)
const EVERY_MS = 50
const NAMES = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration', 'TaskDuration'] as const

async function metrics(session: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await session.send('Performance.getMetrics')
  return new Map(metrics.map(({ name, value }) => [name, value]))
}

interface TraceEvent {
  name: string
  ph: string
  dur?: number
  tid: number
}

/** Longest function calls of the page's own thread, ms, ascending. */
function scriptingOf(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const calls = traceEvents.filter(({ name, ph }) => ph === 'X' && (name === 'FunctionCall' || name === 'RunMicrotasks'))
  return calls.map(({ dur = 0 }) => dur / 1000).sort((a, b) => a - b)
}

const executablePath = process.env['SPEEDGRID_CHROMIUM'] ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  console.log(`No Chromium at ${executablePath}; set SPEEDGRID_CHROMIUM.`)
  process.exit(0)
}
// The fake sweep stands still by itself: every update is ours.
const server = await startDevServer({
  everyMs: 3_600_000,
  doneCells: 150,
  ...(values.folder !== undefined && { folder: values.folder }),
})
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
  await page.goto(`${server.url}#/sweep/run-live`)
  await page.locator('[role="gridcell"]').nth(191).waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const { feed } = server.engine.sweep
  const valid = feed.value.cells.filter((cell) => cell.status === 'valid')
  const push = (index: number) => {
    const cell = valid[(index * 37) % valid.length]
    // A cell is measured for a while; the others change under it.
    const measured = valid[Math.floor(index / 100) % valid.length]
    if (cell === undefined || measured === undefined) return
    const { contextTokens, concurrency } = measured
    feed.push({
      head: { remainingSeconds: 10_000 - index },
      cells: [{ ...cell, totalTokensPerSecond: (cell.totalTokensPerSecond ?? 1) * (1 + 0.001 * (index % 9)) }],
      live: {
        contextTokens,
        concurrency,
        repeat: 1,
        attempt: 1,
        phase: 'window',
        tokensPerSecond: 100 + index,
        windowSeconds: (index % 200) / 20,
        activeStreams: concurrency,
        recentRates: Array.from({ length: 60 }, (_, at) => 100 + ((at * index) % 17)),
      },
    })
  }
  const run = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      push(index)
      await new Promise((done) => setTimeout(done, EVERY_MS))
    }
  }
  await run(40)
  const before = await metrics(session)
  await run(UPDATES)
  const after = await metrics(session)
  console.log(`${UPDATES} updates of ${feed.value.cells.length} cells, ${1000 / EVERY_MS} a second; per update:`)
  for (const name of NAMES)
    console.log(`  ${name.padEnd(20)} ${((1000 * ((after.get(name) ?? 0) - (before.get(name) ?? 0))) / UPDATES).toFixed(2)} ms`)
  await browser.startTracing(page, { categories: ['devtools.timeline', 'v8'] })
  await run(100)
  const calls = scriptingOf(await browser.stopTracing())
  const at = (share: number) => (calls[Math.min(calls.length - 1, Math.floor(share * calls.length))] ?? 0).toFixed(2)
  console.log(`  function calls of 100 updates: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`)
} finally {
  await browser.close()
  await server.dispose()
}
