import { quoteWords, shellWords } from '../../../../shared/format/index.ts'
import { REDACTED } from '../../../../shared/secrets/index.ts'

/** A word of a command and where its source stands in the text. */
export interface CommandWord {
  start: number
  end: number
  value: string
}

/** Same length as what it stands for, so that every position stays true: to a shell the angle brackets would be operators. */
const HIDDEN = '\u0001redacted\u0001'

/**
 * The words as the engine reads a pasted command: continuations joined, line breaks like spaces, comment lines and leading prompts (`$ `)
 * left out. Shell operators (`|`, `&&` …) come back as words of their own.
 */
export function commandWords(text: string): CommandWord[] {
  const source = withoutComments(text).replaceAll(REDACTED, HIDDEN)
  const words: CommandWord[] = []
  let isLineStart = true
  for (const { start, end, value, operator } of shellWords(source)) {
    if (operator && value === '\n') {
      isLineStart = true
      continue
    }
    const isPrompt = isLineStart && value === '$' && end - start === 1
    isLineStart = false
    if (!isPrompt) words.push({ start, end, value: value.replaceAll(HIDDEN, REDACTED) })
  }
  return words
}

/** Lines that begin with `#` as blanks, unless a continuation makes them part of the line before. */
function withoutComments(text: string): string {
  let isContinued = false
  return text
    .split('\n')
    .map((line) => {
      const isComment = !isContinued && /^\s*#/.test(line)
      isContinued = !isComment && /\\\r?$/.test(line)
      return isComment ? ' '.repeat(line.length) : line
    })
    .join('\n')
}

/** One word so that a shell, and the engine, read it back. `$HOME` and `~` at the front stay bare: that is what they are written for. */
export function quoted(value: string): string {
  if (value === REDACTED || value === '') return value === '' ? "''" : value
  const [, home = '', rest = value] = /^(~(?=\/)|\$HOME(?=\/|$))?([\s\S]*)$/.exec(value) ?? []
  return home + (rest === '' ? '' : quoteWords([rest]))
}

const WIDTH = 88

/** A whole command, one flag with its values a line; short ones stay on one line. `groups` holds the words that belong together. */
export function writeCommand(groups: readonly (readonly string[])[]): string {
  const lines = groups.filter((group) => group.length > 0).map((group) => group.map(written).join(' '))
  const single = lines.join(' ')
  return single.length <= WIDTH ? single : lines.join(' \\\n  ')
}

function written(word: string): string {
  const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? []
  return name === undefined || value === undefined ? quoted(word) : `${name}=${value === '' ? '' : quoted(value)}`
}
