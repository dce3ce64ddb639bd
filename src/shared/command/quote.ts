import { SpeedgridError } from '../model/error.ts'
import { hostReference } from './host-variables.ts'

/** Words a POSIX shell reads as grammar when they stand, unquoted, where a command is expected. */
const RESERVED = new Set(
  'if then else elif fi for while until do done case esac in function select time coproc { } ! [[ ]]'.split(' '),
)
/** Not with a `%` at its end: in front of a command that is a prompt. */
const BARE = /^[A-Za-z0-9_./:,+@%-]*[A-Za-z0-9_./:,+@-]$/
const single = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

/** One word for a POSIX shell, which reads back exactly this. Throws `usage` for a NUL byte, which no argument can hold. */
export function quoteWord(word: string): string {
  if (word.includes('\0')) throw new SpeedgridError('usage', 'An argument of a command contains a NUL byte.')
  return BARE.test(word) && !RESERVED.has(word) ? word : single(word)
}

/** An argument list for a POSIX shell. */
export function quoteArgv(argv: readonly string[]): string {
  if (argv.length === 0) throw new SpeedgridError('usage', 'An empty command.')
  return argv.map(quoteWord).join(' ')
}

/** One word as a person writes it, which the reading gives back: `--flag=value`, `~/…`, `$HOME` and the host's own variables stay bare. */
export function quoteForPeople(word: string): string {
  if (word === '') return "''"
  const [, home = '', rest = word] = /^(~(?=\/)|\$HOME(?=\/|$))?([\s\S]*)$/.exec(word) ?? []
  return home + rest.split(hostReference('g')).map(quotePiece).join('')
}

const quotePiece = (piece: string, index: number) =>
  index % 2 === 1
    ? `\${${piece}}`
    : /^[\w@%+=:,./-]*(?:(?:^|=)<redacted>)?$/.test(piece) && !piece.endsWith('%')
      ? piece
      : single(piece)

/** `NAME=value` is an assignment only while its name stands outside of quotes. */
export function writeWord(word: string): string {
  const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? []
  return name === undefined || value === undefined ? quoteForPeople(word) : `${name}=${value === '' ? '' : quoteForPeople(value)}`
}

/** A list of words as one line for people. */
export const writeWords = (words: readonly string[]): string => words.map(writeWord).join(' ')

const WIDTH = 88

/** A whole command, one flag with its values a line; short ones stay on one line. `groups` holds the words that belong together. */
export function writeCommand(groups: readonly (readonly string[])[]): string {
  const lines = groups.filter((group) => group.length > 0).map(writeWords)
  const line = lines.join(' ')
  return line.length <= WIDTH ? line : lines.join(' \\\n  ')
}
