#!/usr/bin/env node
// `npm start`: the window where Electron's binary is installed and there is a screen, else the page.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findElectron } from './find-electron.mjs'
import { isNewEnough, runWithNode } from './node24.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)

/** Why there is no window; undefined where there can be one. */
function whyNoWindow(electron) {
  if (!electron) {
    const named = process.env.SPEEDGRID_ELECTRON
    return named ? `SPEEDGRID_ELECTRON names ${named}, which is not there` : "Electron's binary is not installed"
  }
  if (!existsSync(join(root, 'out', 'main', 'shell.cjs'))) return 'the window is not built'
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return 'there is no screen here'
  return undefined
}

function openWindow(electron) {
  const env = { ...process.env }
  // Set in editors' terminals; with it Electron is only a Node.
  delete env.ELECTRON_RUN_AS_NODE
  // Chromium's sandbox refuses root.
  const sandbox = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const child = spawn(electron, [...sandbox, root, ...words], { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`Could not start ${electron}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code) => process.exit(code ?? 1))
}

if (isNewEnough()) {
  if (existsSync(join(root, 'src'))) await (await import('../scripts/build.mjs')).buildIfStale({ quiet: true })
  const electron = findElectron()
  const why = whyNoWindow(electron)
  if (why === undefined) {
    openWindow(electron)
  } else {
    console.error(`No window (${why}): opening the page instead.`)
    runWithNode([join(root, 'bin', 'speedgrid.mjs'), 'serve', '--open', ...words])
  }
} else {
  runWithNode([fileURLToPath(import.meta.url), ...words])
}
