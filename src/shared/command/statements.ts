import { isFlagWord } from './flags.ts'
import type { ShellToken } from './words.ts'

/** One of the commands of a text: its words without redirections. */
export interface Statement {
  words: ShellToken[]
  /** What stands in front of it: `;`, `&&`, `|`, a line break … */
  joinedBy: string
}

interface Statements {
  list: Statement[]
  /** `>log`, `2>&1` …, as written. */
  redirections: string[]
  /** A line goes on that a shell would have ended: in front of this word. */
  carriedOn: ShellToken[]
}

/**
 * The commands of a text. A line that begins with a flag, or further in than the command it follows, goes on with that command: the
 * backslash was lost on the way, or stands in front of a comment.
 */
export function splitStatements(text: string, tokens: readonly ShellToken[]): Statements {
  const list: Statement[] = []
  const redirections: string[] = []
  const carriedOn: ShellToken[] = []
  let current: Statement = { words: [], joinedBy: '' }
  const close = (joinedBy: string) => {
    if (current.words.length > 0) list.push(current)
    current = { words: [], joinedBy: current.words.length === 0 && joinedBy === '\n' ? current.joinedBy : joinedBy }
  }
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token === undefined) continue
    if (token.kind === 'word') current.words.push(token)
    else if (token.kind === 'newline') {
      const next = tokens.slice(index + 1).find(({ kind }) => kind === 'word' || kind === 'operator')
      const first = current.words[0]
      if (first === undefined || next === undefined) continue
      if (!goesOn(text, first, next)) close('\n')
      else if (carriedOn.at(-1) !== next) carriedOn.push(next)
    } else if (token.kind === 'operator' && /[<>]/.test(token.value)) {
      const target = tokens[index + 1]
      const end = target?.kind === 'word' ? target.end : token.end
      redirections.push(text.slice(token.start, end))
      if (target?.kind === 'word') index += 1
    } else if (token.kind === 'operator') close(token.value)
  }
  close('')
  return { list, redirections, carriedOn }
}

function goesOn(text: string, first: ShellToken, next: ShellToken): boolean {
  return next.kind === 'word' && (isFlagWord(next.value) || indent(text, next) > indent(text, first))
}

/** How far in a word stands; 0 where something other than blanks is in front of it on its line. */
function indent(text: string, { start }: ShellToken): number {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  return line.trim() === '' ? line.length : 0
}
