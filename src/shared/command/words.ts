/*
 * The one tokenizer of shell text. It says what a POSIX shell would see and where that stands; nothing is run, looked up or expanded here,
 * and nothing is refused: an open quote runs to the end. Imports nothing, as the redactor stands on it.
 */

/** A piece of a word. `isLiteral`: quoted so that a shell expands nothing in it; `isBare`: in no quotes at all. */
export interface WordPart {
  text: string
  isLiteral: boolean
  isBare: boolean
}

/** `value` of a word is the text without its quotes, of everything else its source. */
export interface ShellToken {
  /** `skipped`: a prompt or a Markdown fence. */
  kind: 'word' | 'operator' | 'newline' | 'comment' | 'skipped'
  start: number
  end: number
  value: string
  parts: readonly WordPart[]
  /** A quote or bracket that is never closed. */
  isOpen: boolean
}

const OPERATOR = /&>>|&>|>&|<&|>>|<<<|<<-?|<>|>\||&&|\|\||\|&|;;|[;&|<>()]/y
/** Blanks between a backslash and the line's end are no continuation to a shell, but they are to whoever wrote them. */
const CONTINUATION = /\\[^\S\n]*(?:\n|$)/y
const BLANK = /[^\S\n]|\u200b/y
const PROMPT =
  /[^\S\n]*(?:(?:\([\w.+ -]+\)[^\S\n]*)?(?:\[[\w.-]+@[\w.-]+ [^\]\s]*\]|[\w.-]+@[\w.-]+(?::| )?[^\s$#%]*)[^\S\n]*[$#%]|(?:\([\w.+ -]+\)[^\S\n]*)?[$%❯➜])[^\S\n]+(?=\S)/y
const CONTINUED_PROMPT = /[^\S\n]*>[^\S\n]+/y
const FENCE = /[^\S\n]*(?:```|~~~)[^\s`]*[^\S\n]*(?=\r?\n|$)/y
/** Stands where a secret was taken out: to a shell its brackets would be operators that cut the word. */
const TAKEN_OUT = '<redacted>'

export function shellTokens(text: string): ShellToken[] {
  const tokens: ShellToken[] = []
  const matchAt = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0] ?? ''
  }
  const add = (kind: ShellToken['kind'], start: number, end: number) => {
    tokens.push({ kind, start, end, value: text.slice(start, end), parts: [], isOpen: false })
    return end
  }
  let at = 0
  let lineStart: 'new' | 'continued' | undefined = 'new'
  while (at < text.length) {
    const skipped =
      lineStart === 'new' ? matchAt(FENCE, at) || matchAt(PROMPT, at) : lineStart ? matchAt(CONTINUED_PROMPT, at) : ''
    if (skipped !== '') at = add('skipped', at, at + skipped.length)
    lineStart = undefined
    const continuation = matchAt(CONTINUATION, at)
    const blank = continuation === '' ? matchAt(BLANK, at) : continuation
    const operator = text.startsWith(TAKEN_OUT, at) ? '' : matchAt(OPERATOR, at)
    if (blank !== '') {
      at += blank.length
      if (continuation !== '') lineStart = 'continued'
    } else if (text.charAt(at) === '\n') {
      at = add('newline', at, at + 1)
      lineStart = 'new'
    } else if (operator !== '') {
      at = add('operator', at, at + operator.length)
    } else if (text.charAt(at) === '#') {
      const end = text.indexOf('\n', at)
      at = add('comment', at, end < 0 ? text.length : end)
    } else if (at < text.length) {
      const word = readWord(text, at)
      at = word.end
      // `2>`: the number belongs to the redirection.
      const redirection = /^\d+$/.test(text.slice(word.start, at)) && /[<>]/.test(text.charAt(at)) ? matchAt(OPERATOR, at) : ''
      if (redirection === '' || text.startsWith(TAKEN_OUT, at)) tokens.push(word)
      else at = add('operator', word.start, at + redirection.length)
    }
  }
  return tokens
}

function readWord(text: string, start: number): ShellToken {
  const parts: WordPart[] = []
  let isOpen = false
  const add = (piece: string, isLiteral: boolean, isBare: boolean) => {
    const last = parts.at(-1)
    if (last !== undefined && last.isLiteral === isLiteral && last.isBare === isBare) last.text += piece
    else parts.push({ text: piece, isLiteral, isBare })
  }
  let quote = ''
  let at = start
  while (at < text.length) {
    const char = text.charAt(at)
    const next = text.charAt(at + 1)
    if (quote === "'") {
      const end = text.indexOf("'", at)
      add(text.slice(at, end < 0 ? text.length : end), true, false)
      isOpen ||= end < 0
      at = end < 0 ? text.length : end + 1
      quote = ''
    } else if (quote === '' && char === '$' && next === "'") {
      const ansi = /^\$'((?:[^'\\]|\\[\s\S])*)(')?/.exec(text.slice(at))
      add(unescaped(ansi?.[1] ?? ''), true, false)
      isOpen ||= ansi?.[2] === undefined
      at += ansi?.[0].length ?? 2
    } else if (char === '$' && (next === '{' || next === '(')) {
      const end = closing(text, at + 1)
      isOpen ||= end > text.length
      add(text.slice(at, end), false, quote === '')
      at = Math.min(end, text.length)
    } else if (char === '`') {
      const end = text.indexOf('`', at + 1)
      isOpen ||= end < 0
      add(text.slice(at, end < 0 ? text.length : end + 1), false, quote === '')
      at = end < 0 ? text.length : end + 1
    } else if (char === '\\') {
      const joined = /^\\\r?\n(?![\s-])/.exec(text.slice(at, at + 4))?.[0]
      if (joined !== undefined) at += joined.length
      // A flag at the beginning of a line is a word of its own, though a shell would glue it to the one before.
      else if (quote === '' && at > start && isContinuation(text, at)) break
      else if (quote === '"' && !/["\\$`]/.test(next)) {
        add(char, true, false)
        at += 1
      } else {
        add(next, true, false)
        at += 2
      }
    } else if (char === '"') {
      quote = quote === '"' ? '' : '"'
      add('', true, false)
      at += 1
    } else if (quote === '' && char === "'") {
      quote = "'"
      add('', true, false)
      at += 1
    } else if (quote === '' && text.startsWith(TAKEN_OUT, at)) {
      add(TAKEN_OUT, true, true)
      at += TAKEN_OUT.length
    } else if (quote === '' && /[\s\u200b;|&<>()]/.test(char)) {
      break
    } else {
      add(char, false, quote === '')
      at += 1
    }
  }
  const end = Math.min(at, text.length)
  return { kind: 'word', start, end, value: parts.map((part) => part.text).join(''), parts, isOpen: isOpen || quote !== '' }
}

function isContinuation(text: string, at: number): boolean {
  CONTINUATION.lastIndex = at
  return CONTINUATION.test(text)
}

/** Just behind the bracket that closes the one at `from`; beyond the text where none does. */
function closing(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    if (/[({]/.test(text.charAt(at))) depth += 1
    else if (/[)}]/.test(text.charAt(at))) depth -= 1
    if (depth === 0) return at + 1
  }
  return text.length + 1
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\u0007', e: '\u001b', '0': '\0' }
const unescaped = (text: string) => text.replaceAll(/\\([\s\S])/g, (_all, char: string) => ESCAPES[char] ?? char)
