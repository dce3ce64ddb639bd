import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Where things are, in a checkout and in a packaged app alike. The bundle is `out/main/shell.cjs`. */
export function createPaths(bundleFolder: string) {
  const root = join(bundleFolder, '..', '..')
  // What a plain Node has to read can't lie inside the archive.
  const outside = root.replace(`${sep}app.asar`, `${sep}app.asar.unpacked`)
  const icon = join(root, 'resources', 'icons', 'icon.png')
  return {
    outside,
    /** The shell lies in an archive that Electron checks, and these files beside it. */
    isPacked: outside !== root,
    engineEntry: join(outside, 'out', 'main', 'engine-host.js'),
    preload: join(root, 'out', 'preload', 'index.cjs'),
    pages: { renderer: join(root, 'out', 'renderer'), shell: join(root, 'resources', 'shell') },
    icon: existsSync(icon) ? icon : undefined,
  }
}
export type Paths = ReturnType<typeof createPaths>
