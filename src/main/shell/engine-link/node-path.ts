import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `node:sqlite` needs it. */
const OLDEST = [22, 13] as const

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

export interface NodePathDeps {
  env: Record<string, string | undefined>
  platform: string
  arch: string
  /** The app's folder: in a checkout npm brought a Node there. */
  root: string
  /** Where a packaged app has its resources. */
  resourcesPath?: string | undefined
  exists?: (path: string) => boolean
  versionOf?: (path: string) => string | undefined
}

/** A Node that can run the engine and the drivers beside it: named by the environment, packaged with us, brought by npm, or the system's. */
export function findNode(deps: NodePathDeps): string | undefined {
  const { env, platform, arch, root, resourcesPath, exists = existsSync, versionOf = askVersion } = deps
  const file = platform === 'win32' ? 'node.exe' : 'bin/node'
  const packageName = `node-${platform === 'win32' ? 'win' : platform}-${arch}`
  const named = env.SPEEDGRID_NODE
  const candidates = [
    ...(named === undefined ? [] : [named]),
    ...(resourcesPath === undefined ? [] : [join(resourcesPath, 'node', packageName, file)]),
    join(root, 'node_modules', packageName, file),
  ]
  const found = candidates.find((path) => exists(path))
  if (found !== undefined) return found
  const onPath = platform === 'win32' ? 'node.exe' : 'node'
  const version = versionOf(onPath)
  return version !== undefined && isNewEnough(version) ? onPath : undefined
}

function askVersion(path: string): string | undefined {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', timeout: 5000, stdio: ['ignore', 'pipe', 'ignore'] })
      .trim()
      .replace(/^v/, '')
  } catch {
    return undefined
  }
}
