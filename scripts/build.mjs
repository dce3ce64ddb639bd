// Builds everything that runs: the main bundles (electron-vite), the driver and the window's shell and preload, which must be one file each
// and are built on their own, and the renderer.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'out', '.built')

function newestMtime(path) {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestMtime(join(path, name))), 0)
}

export function isStale() {
  if (!existsSync(stamp)) return true
  const inputs = [
    'src',
    'electron.vite.config.ts',
    'vite.driver.config.ts',
    'vite.renderer.config.ts',
    'vite.shell.config.ts',
    'package-lock.json',
  ]
  const built = statSync(stamp).mtimeMs
  return inputs.some((input) => newestMtime(join(root, input)) > built)
}

export async function build({ quiet = false } = {}) {
  const startedAt = new Date()
  const logLevel = quiet ? 'error' : 'info'
  const { build: buildMain } = await import('electron-vite')
  const { build: buildWithVite } = await import('vite')
  const before = process.cwd()
  // Vite sets it for the build; whoever builds and goes on (the tests) must not run on production bundles of React because of it.
  const { NODE_ENV } = process.env
  process.chdir(root)
  try {
    rmSync(stamp, { force: true })
    await buildMain({ root, logLevel, configFile: join(root, 'electron.vite.config.ts') })
    await buildWithVite({ root, logLevel, configFile: join(root, 'vite.driver.config.ts') })
    for (const mode of ['shell', 'preload'])
      await buildWithVite({ root, logLevel, mode, configFile: join(root, 'vite.shell.config.ts') })
    if (existsSync(join(root, 'src/renderer/index.html'))) {
      await buildWithVite({ logLevel, configFile: join(root, 'vite.renderer.config.ts') })
    }
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, `${startedAt.toISOString()}\n`)
  } finally {
    process.chdir(before)
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
}

export async function buildIfStale(options) {
  if (!isStale()) return
  if (options?.quiet && process.stderr.isTTY) process.stderr.write('Building Speedgrid (first start, or its sources changed)…\n')
  await build(options)
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await build()
