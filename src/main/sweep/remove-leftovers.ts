import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isRunOver } from '../../shared/model/states.ts'
import type { HostsService } from '../hosts/types.ts'
import { OWN_FOLDER } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'
import type { Store } from '../store/index.ts'
import { type FolderOwner, readOwner } from './folder-owner.ts'
import { patiently } from './patience.ts'
import { createLocalFolder, createRemoteFolder } from './run-folder.ts'
import { attachDriver, attachHostDriver, attachLocalDriver } from './running-driver.ts'

// A dry run lasts seconds; one this old belonged to an engine that was killed.
const OLD_DRY_RUNS = `
${OWN_FOLDER}
enter "$1" runs || exit 0
find . -maxdepth 1 -type d -name 'dry-*' -user "$me" -mmin +60 -exec rm -rf -- {} +
cd -P .. && rmdir -- ./runs 2>/dev/null
exit 0
`

// Folders that nothing was put into or taken out of for a while: the driver of a new one has started by then, or never will.
const LIST = `
${OWN_FOLDER}
enter "$1" runs || exit 0
for name in *; do
  [ -d "./$name" ] && [ ! -L "./$name" ] && [ -O "./$name" ] && [ -f "./$name/owner.json" ] || continue
  [ -n "$(find "./$name" -maxdepth 0 -mmin "+$2")" ] && echo "folder $name"
done
exit 0
`
const OLD_MINUTES = 10

/** Removes the run folders that could not be removed when their runs ended: those on this machine, and on `host` where one is named. */
export async function removeLeftovers(
  deps: { store: Store; hosts: HostsService; dataDir: string },
  host?: { name: string; link: HostLink; base: string },
) {
  const { store, hosts } = deps
  for (const { id, location } of store.runs.leftovers()) {
    if (location.place === 'host' && location.host !== host?.name) continue
    if (!(await patiently(() => store.runs.takeLease(id)))) continue
    try {
      const driver = attachDriver(location, (name) => hosts.connect(name))
      if ((await driver.look()).alive) continue
      await driver.folder.remove()
      await patiently(() => store.runs.setLocation(id, undefined))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      await patiently(() => store.runs.addEvent(id, 'warn', `The run folder ${location.folder} is still there: ${why}`))
    } finally {
      await patiently(() => store.runs.releaseLease(id))
    }
  }
  if (host !== undefined) await host.link.script(OLD_DRY_RUNS, [host.base], { timeoutMs: 30_000 }).catch(() => undefined)
  await removeStrays(deps, host).catch(() => undefined)
}

/** Folders of this history that no run of it needs: of runs it doesn't have (any more), that are over, or that have gone on since. */
async function removeStrays(
  { store, hosts, dataDir }: { store: Store; hosts: HostsService; dataDir: string },
  host: { name: string; link: HostLink; base: string } | undefined,
): Promise<void> {
  const drivers = localFolders(join(dataDir, 'runs')).map((path) => attachLocalDriver('local', createLocalFolder(path)))
  if (host !== undefined) {
    const connect = () => hosts.connect(host.name)
    const { stdout } = await host.link.script(LIST, [host.base, String(OLD_MINUTES)], { timeoutMs: 30_000 })
    for (const [, name = ''] of stdout.matchAll(/^folder (\S+)$/gm)) {
      drivers.push(attachHostDriver(createRemoteFolder({ connect, path: `${host.base}/runs/${name}` }), connect))
    }
  }
  for (const driver of drivers) {
    const owner = await readOwner(driver.folder)
    if (owner === undefined || owner.history !== (await patiently(() => store.identity()))) continue
    if (isNeeded(store, owner, driver.folder.path) || (await driver.look()).alive) continue
    await driver.folder.remove()
  }
}

function isNeeded({ runs }: Store, { runId, epoch }: FolderOwner, path: string): boolean {
  const run = runs.exact(runId)
  if (run === undefined) return false
  const location = runs.location(runId)
  if (location?.folder === path) return true
  return !isRunOver(run.state) && (location === undefined || epoch >= location.epoch)
}

function localFolders(parent: string): string[] {
  try {
    const paths = readdirSync(parent).map((name) => join(parent, name))
    return paths.filter((path) => Date.now() - statSync(path).mtimeMs > OLD_MINUTES * 60_000)
  } catch {
    return []
  }
}
