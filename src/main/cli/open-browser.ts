import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { htmlText } from '../../shared/format/index.ts'

/** The browser has read it by then. */
const KEPT_MS = 30_000

/**
 * Opens a link in the person's browser; false where no browser could be asked. The link holds a token and arguments are seen by every
 * account of the machine, so that the browser gets the path of a private file that leads on.
 */
export function openInBrowser(
  link: string,
  where: { dataDir: string; platform: NodeJS.Platform; env: Record<string, string | undefined> },
): Promise<boolean> {
  const { platform, env } = where
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY && !env.BROWSER) return Promise.resolve(false)
  const file = join(where.dataDir, 'open.html')
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${htmlText(link)}"><title>Speedgrid</title>`
  rmSync(file, { force: true })
  writeFileSync(file, page, { mode: 0o600 })
  setTimeout(() => rmSync(file, { force: true }), KEPT_MS).unref()
  const url = pathToFileURL(file).href
  const [command, ...args] = commandOf(platform, url)
  return new Promise((resolve) => {
    const child = spawn(command, args, { detached: true, stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

function commandOf(platform: NodeJS.Platform, url: string): [string, ...string[]] {
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}
