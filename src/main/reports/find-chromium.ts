import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export interface ChromiumPlaces {
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
}

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
  'brave-browser',
]
const MAC = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser']
const WINDOWS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
  'Chromium\\Application\\chrome.exe',
]

/** Path of an installed browser that can print: SPEEDGRID_CHROMIUM, else the first of the usual ones; undefined where there is none. */
export async function findChromium({ platform, env }: ChromiumPlaces): Promise<string | undefined> {
  const chosen = env.SPEEDGRID_CHROMIUM
  const candidates = chosen ? [chosen] : candidatesOf(platform, env)
  for (const path of candidates) {
    if (await isExecutable(path)) return path
  }
  return undefined
}

function candidatesOf(platform: NodeJS.Platform, env: ChromiumPlaces['env']): string[] {
  if (platform === 'darwin') return MAC.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  if (platform === 'win32') {
    const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter((root) => root !== undefined)
    return roots.flatMap((root) => WINDOWS.map((path) => join(root, path)))
  }
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin'].filter((one) =>
    one.startsWith('/'),
  )
  return NAMES.flatMap((name) => [...new Set(folders)].map((folder) => join(folder, name)))
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
