import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `node:sqlite` needs it. */
const OLDEST = [22, 13] as const

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

interface NodePathDeps {
  env: Record<string, string | undefined>
  platform: string
  arch: string
  /** The folder whose node_modules may hold a Node: the checkout's, or the one outside a package's archive. */
  root: string
  exists?: (path: string) => boolean
  versionOf?: (path: string) => string | undefined
}

/** A Node that can run the engine and the drivers beside it: named by the environment, brought by npm, or the system's. */
export function findNode(deps: NodePathDeps): string | undefined {
  const { env, platform, arch, root, exists = existsSync, versionOf = askVersion } = deps
  const file = platform === 'win32' ? 'node.exe' : 'bin/node'
  const packageName = `node-${platform === 'win32' ? 'win' : platform}-${arch}`
  const named = env.SPEEDGRID_NODE
  const candidates = [...(named === undefined ? [] : [named]), join(root, 'node_modules', packageName, file)]
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
