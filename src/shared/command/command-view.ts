import type { CommandView } from '../contract/servers.ts'
import { SpeedgridError } from '../model/error.ts'
import { isFlagWord } from './flags.ts'
import { launchCommand, type LaunchCommand } from './launch-command.ts'
import type { CommandText } from './secrets.ts'

/** The command taken apart for the form beside it. The value of a secret is left out, and needn't be known. */
export function commandView(text: CommandText): CommandView {
  try {
    const command = launchCommand(text)
    const secrets = new Set([...command.secrets.keys(), ...command.missing])
    return {
      ok: true,
      environment: [
        ...command.environment.map(({ name, value }) => ({ name, value, secret: false })),
        ...[...secrets].map((name) => ({ name, value: '', secret: true })),
      ],
      ...(command.model === undefined ? {} : { model: command.model }),
      flags: flagsOf(command),
      warnings: command.notes,
    }
  } catch (error) {
    if (!(error instanceof SpeedgridError)) throw error
    const { cause, nextStep } = error.toInfo()
    return { ok: false, error: cause, ...(nextStep === undefined ? {} : { nextStep }), environment: [], flags: [], warnings: [] }
  }
}

/** `--flag value`, `--flag=value` and bare flags, in the order written. vLLM's own flags are many and change: nothing here knows them. */
function flagsOf(command: LaunchCommand): CommandView['flags'] {
  const flags: CommandView['flags'] = []
  for (const word of command.args) {
    const last = flags.at(-1)
    if (isFlagWord(word)) {
      const equals = word.indexOf('=')
      flags.push(equals < 0 ? { flag: word } : { flag: word.slice(0, equals), value: word.slice(equals + 1) })
    } else if (last !== undefined) {
      last.value = last.value === undefined ? word : `${last.value} ${word}`
    }
  }
  return flags
}
