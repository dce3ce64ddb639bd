import { dirname, join, resolve } from 'node:path'

interface PathDeps {
  env: Record<string, string | undefined>
  cwd: string
  homeDir: string
  platform: NodeJS.Platform
}

/**
 * The folder the person typed the command in. `npm run` changes to the package's folder and says in INIT_CWD where it was called;
 * a shell that npm started hands INIT_CWD down too, and there the working folder is the truth.
 */
function typedFolder({ env, cwd }: Pick<PathDeps, 'env' | 'cwd'>): string {
  const initial = env.INIT_CWD
  if (!initial) return cwd
  const packageFile = env.npm_package_json
  return packageFile && dirname(packageFile) !== cwd ? cwd : initial
}

/** A path as typed → absolute. */
export function typedPath(deps: Pick<PathDeps, 'env' | 'cwd'>, path: string): string {
  return resolve(typedFolder(deps), path)
}

/** --data-dir, else SPEEDGRID_DATA_DIR, else the platform's application data folder. */
export function dataFolder(deps: PathDeps, option?: string): string {
  const { env, homeDir, platform } = deps
  const chosen = option || env.SPEEDGRID_DATA_DIR
  if (chosen) return typedPath(deps, chosen)
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support', 'Speedgrid')
  if (platform === 'win32') return join(env.APPDATA || join(homeDir, 'AppData', 'Roaming'), 'Speedgrid')
  // The XDG specification says to ignore a relative path.
  const xdg = env.XDG_DATA_HOME
  return join(xdg?.startsWith('/') ? xdg : join(homeDir, '.local', 'share'), 'speedgrid')
}
