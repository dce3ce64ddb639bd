/**
 * What searching the history costs: 5,000 runs, each key from its event to the frame that shows what it found.
 * `node bench/history-search.ts [--runs=5000]`; needs a built renderer and a Chromium (SPEEDGRID_CHROMIUM, else /usr/bin/chromium).
 * Prints figures, gates nothing.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { startDevServer } from '../src/renderer/testing/dev-server.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5000' } } })
const WORDS = ['qwen', 'gpu-lab', 'night', 'fp8 lab', 'no such run at all']
const executablePath = process.env['SPEEDGRID_CHROMIUM'] ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  console.log(`No Chromium at ${executablePath}; set SPEEDGRID_CHROMIUM.`)
  process.exit(0)
}

const server = await startDevServer({ runs: Number(values.runs), everyMs: 3_600_000 })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
  await page.goto(`${server.url}#/history`)
  const field = page.getByLabel('Search runs')
  await page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(20).waitFor()
  await field.focus()
  // Event Timing: from the key until the next picture was painted; the input's own clock, in steps of 8 ms.
  await page.evaluate(`{
    const kept = (globalThis.kept = [])
    new PerformanceObserver((list) => {
      for (const { name, duration, processingStart, processingEnd } of list.getEntries())
        if (name === 'keydown' || name === 'input') kept.push({ duration, scripting: processingEnd - processingStart })
    }).observe({ type: 'event', durationThreshold: 16 })
  }`)
  const paints: number[] = []
  for (const word of WORDS) {
    for (const key of word) {
      const beforeMs = await page.evaluate(() => performance.now())
      await page.keyboard.press(key === ' ' ? 'Space' : key)
      const afterMs = await page.evaluate<number>(
        'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0)))',
      )
      paints.push(afterMs - beforeMs)
    }
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Backspace')
    await page.waitForTimeout(100)
  }
  const kept = await page.evaluate<{ duration: number; scripting: number }[]>('kept')
  const at = (all: number[], share: number) => {
    const sorted = all.toSorted((a, b) => a - b)
    return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1)
  }
  const rows = await page.getByRole('grid', { name: 'Runs' }).getAttribute('aria-rowcount')
  console.log(`${String(Number(rows ?? 1) - 1)} runs, ${String(paints.length)} keys`)
  console.log(`  key to the frame after it, with playwright's own way  p50 ${at(paints, 0.5)} ms, p95 ${at(paints, 0.95)} ms`)
  const durations = kept.map(({ duration }) => duration)
  console.log(
    `  slower than one frame (Event Timing)                   ${String(kept.length)} events, slowest ${at(durations, 1)} ms`,
  )
  const scripting = kept.map((entry) => entry.scripting)
  console.log(
    `  scripting of those                                     p50 ${at(scripting, 0.5)} ms, slowest ${at(scripting, 1)} ms`,
  )
} finally {
  await browser.close()
  await server.dispose()
}
