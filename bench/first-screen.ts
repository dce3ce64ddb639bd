/**
 * How long until something can be done: from the start of `speedgrid serve` to its link, and to the first screen with its button, in a
 * Chromium that runs already. `node bench/first-screen.ts [--runs=7]`; needs a build and a Chromium (SPEEDGRID_CHROMIUM, else
 * /usr/bin/chromium). Prints figures, gates nothing.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { createPerson } from '../test/program/speedgrid.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } })
const executablePath = process.env['SPEEDGRID_CHROMIUM'] ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  console.log(`No Chromium at ${executablePath}; set SPEEDGRID_CHROMIUM.`)
  process.exit(0)
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const toLink: number[] = []
const toScreen: number[] = []
try {
  for (let run = 0; run < Number(values.runs); run += 1) {
    const person = createPerson()
    // A profile without a cache each time: the first start ever.
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const startedMs = performance.now()
    const serve = person.start(['serve'])
    const [, link = ''] = await serve.saw(/(http:\/\/127\.0\.0\.1:\d+\/open\?token=\S+)/)
    toLink.push(performance.now() - startedMs)
    await page.goto(link)
    await page.getByRole('button', { name: 'Try the demo machine' }).waitFor()
    toScreen.push(performance.now() - startedMs)
    await context.close()
    serve.child.kill('SIGINT')
    await serve.done
    person.dispose()
  }
} finally {
  await browser.close()
}
const said = (all: number[]) => {
  const sorted = all.toSorted((a, b) => a - b)
  const text = (ms: number | undefined) => `${Math.round(ms ?? Number.NaN)} ms`
  return `median ${text(sorted[Math.floor(sorted.length / 2)])}, fastest ${text(sorted[0])}, slowest ${text(sorted.at(-1))}`
}
console.log(`${String(toLink.length)} first starts, from the start of the process`)
console.log(`  to the link          ${said(toLink)}`)
console.log(`  to the first screen  ${said(toScreen)}`)
