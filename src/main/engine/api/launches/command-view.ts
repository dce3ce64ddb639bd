import type { CommandView } from '../../../../shared/contract/servers.ts'
import { SpeedgridError } from '../../../../shared/model/error.ts'
import { type LaunchCommand, parseCommand, splitCommand } from '../../../servers/index.ts'

/** A command as typed → its words and what they mean. Throws `usage`. */
export function readCommand(text: string): { words: string[]; command: LaunchCommand } {
  const words = splitCommand(text)
  return { words, command: parseCommand(words) }
}

/** The command taken apart for the form beside it. The value of a secret is left out. */
export function commandView(text: string): CommandView {
  try {
    const { command } = readCommand(text)
    return {
      ok: true,
      environment: [
        ...command.environment.map(({ name, value }) => ({ name, value, secret: false })),
        ...[...command.secrets.keys()].map((name) => ({ name, value: '', secret: true })),
      ],
      ...(command.model === undefined ? {} : { model: command.model }),
      flags: flagsOf(command),
      warnings: command.notes,
    }
  } catch (error) {
    if (!(error instanceof SpeedgridError)) throw error
    return { ok: false, error: error.message, environment: [], flags: [], warnings: [] }
  }
}

/** `--flag value`, `--flag=value` and bare flags, in the order written. vLLM's own flags are many and change: nothing here knows them. */
function flagsOf(command: LaunchCommand): CommandView['flags'] {
  const isFlag = (word: string) => word.startsWith('-') && word.length > 1 && !/^-\d/.test(word)
  const flags: CommandView['flags'] = []
  for (const word of command.args) {
    const last = flags.at(-1)
    if (isFlag(word)) {
      const equals = word.indexOf('=')
      flags.push(equals < 0 ? { flag: word } : { flag: word.slice(0, equals), value: word.slice(equals + 1) })
    } else if (last !== undefined) {
      last.value = last.value === undefined ? word : `${last.value} ${word}`
    }
  }
  return flags
}
