import { SpeedgridError } from '../../shared/model/error.ts'

/** One word of a POSIX sh script, whatever is in it. Throws `usage` on a NUL, which no process can be given. */
export function quoteWord(word: string): string {
  if (word.includes('\0')) throw new SpeedgridError('usage', 'a word of the command contains a NUL character')
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** As quoteWord, but words that need no quotes stay readable: for people, and for pasting into a shell. */
export function quoteReadable(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoteWord(word)
}
