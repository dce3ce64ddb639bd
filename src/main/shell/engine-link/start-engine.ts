import type { Paths } from '../paths.ts'
import type { OwnEngineEvents } from './engine-link.ts'
import { alteredBundles, checkedStarter } from './bundle-sums.ts'
import { findNode, isNewEnough } from './node-path.ts'
import { createOwnEngine, type OwnEngine } from './own-engine.ts'
import { childStarter } from './start-child.ts'
import { utilityStarter } from './start-utility.ts'

interface StartEngineOptions {
  paths: Paths
  dataDir: string | undefined
  events: OwnEngineEvents
}

/** Our engine: on Electron's own Node where that is new enough, else as a child of one that is. */
export function startOwnEngine({ paths, dataDir, events }: StartEngineOptions): OwnEngine {
  const { env, platform, arch } = process
  const node = findNode({ env, platform, arch, root: paths.outside })
  const options = {
    entry: paths.engineEntry,
    args: dataDir === undefined ? [] : ['--data-dir', dataDir],
    // Drivers beside the engine and the demo machine are plain Node programs; Electron's own executable can't run them.
    env: node === undefined ? env : { ...env, SPEEDGRID_NODE: node },
  }
  const start = isNewEnough(process.versions.node) ? utilityStarter(options) : childStarter({ ...options, node })
  // A checkout is built in parts, and nobody's archive vouches for it.
  const checked = paths.isPacked ? checkedStarter(start, () => alteredBundles(paths.outside)) : start
  return createOwnEngine({ start: checked, events })
}
