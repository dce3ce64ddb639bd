import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from './clock.ts'
import { createHostsStore } from './hosts-store.ts'
import { createInventoriesStore } from './inventories-store.ts'
import { createLaunchesStore } from './launches-store.ts'
import { openDatabase } from './open-database.ts'
import { createRunsStore } from './runs-store.ts'
import { createSettingsStore } from './settings-store.ts'
import type { Store } from './types.ts'

const IDENTITY = 'historyIdentity'

/** Opens the history in `dataDir`, making both where they are missing. */
export function createStore({ dataDir, clock = systemClock }: { dataDir: string; clock?: Clock }): Store {
  const database = openDatabase(dataDir)
  let open = true
  const settings = createSettingsStore(database)

  function identity(): string {
    const read = () => {
      const known = settings.all()[IDENTITY]
      return typeof known === 'string' ? known : undefined
    }
    return (
      read() ??
      database.brief(() => {
        // Another engine may have made it meanwhile.
        const made = read() ?? randomUUID()
        settings.change({ [IDENTITY]: made })
        return made
      })
    )
  }
  return {
    dataDir,
    identity,
    runs: createRunsStore({ database, clock }),
    hosts: createHostsStore(database),
    inventories: createInventoriesStore(database),
    launches: createLaunchesStore(database),
    settings,
    foreignChanges: () => database.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0,
    dispose: () => {
      if (!open) return
      open = false
      database.close()
    },
  }
}
