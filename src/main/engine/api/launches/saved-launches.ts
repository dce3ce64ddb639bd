import { randomUUID } from 'node:crypto'
import type { SavedLaunch } from '../../../../shared/contract/servers.ts'
import { redactCommand } from '../../../../shared/secrets/index.ts'
import { SpeedgridError } from '../../../../shared/model/error.ts'
import type { LaunchesStore } from '../../../store/index.ts'
import { readCommand } from './command-view.ts'

export interface SavedLaunches {
  list: () => SavedLaunch[]
  /** Throws `usage` for a command that can't be launched or holds a secret, `not_found` for an id that isn't there. */
  save: (input: { id?: string; name: string; command: string; environment?: string }) => SavedLaunch
  remove: (id: string) => void
  /** A command was launched: the saved ones that say the same were used now. */
  used: (command: string) => void
}

export function createSavedLaunches({ store, now }: { store: LaunchesStore; now: () => number }): SavedLaunches {
  return {
    list: () => store.list(),
    save({ id, name, command, environment }) {
      refuseSecrets(command)
      const known = id === undefined ? undefined : store.list().find((launch) => launch.id === id)
      if (id !== undefined && known === undefined) {
        throw new SpeedgridError('not_found', 'That saved launch is not there any more.', {
          nextStep: 'Save it under a new name.',
        })
      }
      const launch: SavedLaunch = {
        id: id ?? randomUUID(),
        name,
        command: command.trim(),
        ...(environment === undefined || environment === '' ? {} : { environment }),
        ...(known?.lastUsedAt === undefined ? {} : { lastUsedAt: known.lastUsedAt }),
      }
      store.save(launch)
      return launch
    },
    remove(id) {
      if (!store.remove(id)) throw new SpeedgridError('not_found', 'That saved launch is not there any more.')
    },
    used(command) {
      const lastUsedAt = new Date(now()).toISOString()
      for (const launch of store.list()) if (launch.command === command.trim()) store.save({ ...launch, lastUsedAt })
    },
  }
}

/** Nothing secret reaches the disk. The message never holds the value. */
function refuseSecrets(text: string): void {
  const { command } = readCommand(text)
  const names = [...command.secrets.keys()]
  if (names.length === 0 && redactCommand(text) === text) return
  throw new SpeedgridError('usage', 'The command holds a secret, and secrets are not saved.', {
    evidence: names.length === 0 ? [] : [`looks like one: ${names.join(', ')}`],
    nextStep: 'Leave it out: a server gets a key of its own, and tokens belong into the environment of the account on the host.',
  })
}
