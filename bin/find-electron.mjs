import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Path of Electron's binary: the one SPEEDGRID_ELECTRON names, else npm's, whose package may have come without it. Only looks: importing
 * the package would try to download the binary.
 */
export function findElectron() {
  const named = process.env.SPEEDGRID_ELECTRON
  if (named) return existsSync(named) ? named : undefined
  const folder = fileURLToPath(new URL('../node_modules/electron', import.meta.url))
  const note = join(folder, 'path.txt')
  const usual = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ?? 'electron'
  const binary = join(folder, 'dist', existsSync(note) ? readFileSync(note, 'utf8').trim() : usual)
  return existsSync(binary) ? binary : undefined
}
