import { randomUUID } from 'node:crypto'
import { type CommandText, isSameCommand, launchCommand, takeSecrets, withRedacted } from '../../../../shared/command/index.ts'
import type { SavedLaunch } from '../../../../shared/contract/servers.ts'
import { redactCommand } from '../../../../shared/secrets/index.ts'
import { SpeedgridError } from '../../../../shared/model/error.ts'
import type { LaunchesStore } from '../../../store/index.ts'

export interface SavedLaunches {
  list: () => SavedLaunch[]
  /** Throws `usage` for a command that can't be launched or holds a secret, `not_found` for an id that isn't there. */
  save: (input: CommandText & { id?: string; name: string; environment?: string }) => SavedLaunch
  remove: (id: string) => void
  /** A command was launched: the saved ones that say the same were used now. */
  used: (command: CommandText) => void
}

export function createSavedLaunches({ store, now }: { store: LaunchesStore; now: () => number }): SavedLaunches {
  return {
    list: () => store.list(),
    save({ id, name, text, secrets, environment }) {
      refuseSecrets({ text, secrets })
      const known = id === undefined ? undefined : store.list().find((launch) => launch.id === id)
      if (id !== undefined && known === undefined) {
        throw new SpeedgridError('not_found', 'That saved launch is not there any more.', {
          nextStep: 'Save it under a new name.',
        })
      }
      const launch: SavedLaunch = {
        id: id ?? randomUUID(),
        name,
        command: withRedacted(text, secrets).trim(),
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
      for (const launch of store.list()) {
        if (isSameCommand(takeSecrets(launch.command), command)) store.save({ ...launch, lastUsedAt })
      }
    },
  }
}

/** Nothing secret reaches the disk. The message never holds the value. */
function refuseSecrets({ text, secrets }: CommandText): void {
  const command = launchCommand({ text, secrets: secrets.map(({ name }) => ({ name })) })
  const names = [...command.secrets.keys()]
  if (names.length === 0 && redactCommand(text) === text) return
  throw new SpeedgridError('usage', 'The command holds a secret, and secrets are not saved.', {
    evidence: names.length === 0 ? [] : [`looks like one: ${names.join(', ')}`],
    nextStep: 'Leave it out: a server gets a key of its own, and tokens belong into the environment of the account on the host.',
  })
}
