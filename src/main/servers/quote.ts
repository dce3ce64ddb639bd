import { quoteWord } from '../ssh/index.ts'

/** A word as a person would write it: `--flag=value` and paths stay bare, everything else is quoted for a POSIX shell. */
export function quoteReadable(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoteWord(word)
}
