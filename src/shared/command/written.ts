import { homeAsVariable } from '../format/home.ts'
import { redactText, redactWords } from '../secrets/index.ts'
import type { LaunchCommand } from './launch-command.ts'
import { writeWords } from './quote.ts'

/**
 * `$HOME` and `${HOME}` where a path begins, and a leading `~`, as the host's home folder: no shell has done it for a pasted command, and
 * our own reports write home folders this way.
 */
export function expandHome(word: string, home: string): string {
  const variable = word.replaceAll(/(^|[="':,@])(?:\$HOME|\$\{HOME\})(?=$|[/"':,])/g, (_all, before: string) => before + home)
  return variable.replace(/^((?:--[\w.-]+|[A-Za-z_]\w*)=)?~(?=\/|$)/, (_all, before: string | undefined) => (before ?? '') + home)
}

/** The written command on one line: secrets are `<redacted>`, the host's home folder is `$HOME`. */
export function writtenCommand(command: LaunchCommand, home: string): string {
  const words = redactWords(command.written).map((word) => expandHome(word, home))
  return homeAsVariable(redactText(writeWords(words)), home)
}
