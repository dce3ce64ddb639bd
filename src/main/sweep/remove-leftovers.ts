import type { HostsService } from '../hosts/types.ts'
import { OWN_FOLDER } from '../ssh/index.ts'
import type { HostLink } from '../ssh/types.ts'
import type { Store } from '../store/index.ts'
import { patiently } from './patience.ts'
import { attachDriver } from './running-driver.ts'

// A dry run lasts seconds; one this old belonged to an engine that was killed.
const OLD_DRY_RUNS = `
${OWN_FOLDER}
enter "$1" runs || exit 0
find . -maxdepth 1 -type d -name 'dry-*' -user "$me" -mmin +60 -exec rm -rf -- {} +
cd -P .. && rmdir -- ./runs 2>/dev/null
exit 0
`

/** Removes the run folders that could not be removed when their runs ended: those on this machine, and on `host` where one is named. */
export async function removeLeftovers(
  deps: { store: Store; hosts: HostsService },
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
}
