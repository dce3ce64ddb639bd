import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import type { StartEngineChild } from './engine-child.ts'

/**
 * SHA-256 of each bundle that lies outside the package's archive (`out/main`, `out/driver`), by its path. Put in when the shell is built,
 * which lies inside, where Electron checks it.
 */
declare const BUNDLE_SUMS: Record<string, string> | undefined
const builtSums = (): Record<string, string> => (typeof BUNDLE_SUMS === 'undefined' ? {} : BUNDLE_SUMS)

/** Paths of the bundles that are missing or are not those that the shell was built with. */
export function alteredBundles(root: string, sums = builtSums()): string[] {
  return Object.entries(sums)
    .filter(([path, sum]) => sumOf(join(root, path)) !== sum)
    .map(([path]) => path)
}

function sumOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return undefined
  }
}

/** Looks at the bundles before each start; with one that was altered nothing is started. */
export function checkedStarter(start: StartEngineChild, altered: () => string[]): StartEngineChild {
  return (events) => {
    const found = altered()
    if (found.length === 0) return start(events)
    setImmediate(() => {
      events.message({ kind: 'failed', error: alteredError(found) })
      events.exit('not started')
    })
    return { send: () => {}, kill: () => {} }
  }
}

const alteredError = (paths: string[]): ErrorInfo => ({
  code: 'internal',
  cause: 'Files of Speedgrid on this machine are not those it was made with, so that its engine is not started.',
  evidence: paths.slice(0, 8),
  nextStep: 'Install Speedgrid again. If nobody here has changed it, have the machine looked at.',
})
