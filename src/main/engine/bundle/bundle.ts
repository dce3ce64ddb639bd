import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** Where things are beside a built entry (`out/main/….js`). */
interface Bundle {
  version: string
  driverPath: string
  demoHostEntry: string
  rendererDir: string
  /** Our Node binaries for hosts, where npm brought them. */
  nodeBinaries: { x64?: string; arm64?: string }
}

/** `entryUrl` is the import.meta.url of the entry itself: shared code may have been moved into a chunk. */
export function bundleOf(entryUrl: string): Bundle {
  const at = (path: string) => fileURLToPath(new URL(path, entryUrl))
  const packageFile = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(at('../../package.json'), 'utf8')))
  return {
    version: packageFile.version,
    driverPath: at('../driver/driver.mjs'),
    demoHostEntry: at('./demo-host.js'),
    rendererDir: at('../renderer'),
    nodeBinaries: findNodeBinaries(entryUrl),
  }
}

function findNodeBinaries(entryUrl: string): Bundle['nodeBinaries'] {
  const require = createRequire(entryUrl)
  const found: Bundle['nodeBinaries'] = {}
  for (const arch of ['x64', 'arm64'] as const) {
    try {
      const path = require.resolve(`node-linux-${arch}/bin/node`)
      if (existsSync(path)) found[arch] = path
    } catch {
      // An optional dependency of another platform isn't there: nothing to bring.
    }
  }
  return found
}
