// Draws the app's icon: the mark of the rail (src/renderer/ui/mark.tsx) on a tile. `node resources/icons/make-icons.mjs` writes icon.svg and,
// through an installed Chromium, the pictures the packages need. What it writes is kept in the repository.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'

const folder = dirname(fileURLToPath(import.meta.url))
const SIZES = [16, 24, 32, 48, 64, 128, 256, 512]

/** Fastest top left, slowest bottom right, as a matrix of a run usually is. */
const CELLS = ['#bcd4ff', '#8db4ff', '#5f93fa', '#8db4ff', '#5f93fa', '#3d74e6', '#5f93fa', '#3d74e6', '#2a58bd']

/** On a 1024 grid. Apple's tile leaves a margin of 100; small sizes on other systems can't afford one. */
function draw({ margin }) {
  const tile = 1024 - 2 * margin
  const gap = tile * 0.045
  const inset = tile * 0.17
  const cell = (tile - 2 * inset - 2 * gap) / 3
  const rects = CELLS.map((fill, index) => {
    const x = margin + inset + (index % 3) * (cell + gap)
    const y = margin + inset + Math.floor(index / 3) * (cell + gap)
    return `  <rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${cell.toFixed(1)}" height="${cell.toFixed(1)}" rx="${(cell * 0.2).toFixed(1)}" fill="${fill}"/>`
  })
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1024 1024">',
    '  <defs><linearGradient id="tile" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#1c2740"/><stop offset="1" stop-color="#0e1422"/></linearGradient></defs>',
    `  <rect x="${margin}" y="${margin}" width="${tile}" height="${tile}" rx="${(tile * 0.2237).toFixed(1)}" fill="url(#tile)"/>`,
    ...rects,
    '</svg>',
    '',
  ].join('\n')
}

/** Windows' container: PNGs one after the other behind a directory. */
function makeIco(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  pictures.forEach(({ size, png }, index) => {
    const at = 6 + 16 * index
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  })
  return Buffer.concat([head, ...pictures.map(({ png }) => png)])
}

const plain = draw({ margin: 16 })
const apple = draw({ margin: 100 })
writeFileSync(join(folder, 'icon.svg'), plain)
const browser = await chromium.launch({
  executablePath: process.env.SPEEDGRID_CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})
const render = async (svg, size) => {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`)
  const png = await page.screenshot({ omitBackground: true })
  await page.close()
  return png
}
mkdirSync(join(folder, 'linux'), { recursive: true })
const pictures = []
for (const size of SIZES) {
  const png = await render(plain, size)
  writeFileSync(join(folder, 'linux', `${size}x${size}.png`), png)
  if (size <= 256) pictures.push({ size, png })
}
writeFileSync(join(folder, 'icon.ico'), makeIco(pictures))
writeFileSync(join(folder, 'icon.png'), await render(plain, 512))
writeFileSync(join(folder, 'icon-mac.png'), await render(apple, 1024))
await browser.close()
