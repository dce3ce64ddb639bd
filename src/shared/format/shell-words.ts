/** A word of a command as its shell would see it, and where its source stands. */
export interface ShellWord {
  start: number
  end: number
  value: string
  /** True for an unquoted operator or a new line: it ends a command's arguments. */
  operator: boolean
}

/**
 * Finds words and their places in a command line a person wrote. It only looks: nothing is expanded, and an open quote runs to the end.
 * Meant for display (redaction); starting commands goes through the parser of servers/.
 */
export function shellWords(text: string): ShellWord[] {
  const words: ShellWord[] = []
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (/[\n;|&<>()]/.test(char)) {
      words.push({ start: at, end: at + 1, value: char, operator: true })
      at += 1
    } else if (/\s/.test(char) || /^\\\r?\n/.test(text.slice(at, at + 3))) {
      at += char === '\\' ? (text.charAt(at + 1) === '\r' ? 3 : 2) : 1
    } else {
      const word = readWord(text, at)
      words.push(word)
      at = word.end
    }
  }
  return words
}

function readWord(text: string, start: number): ShellWord {
  let at = start
  let value = ''
  while (at < text.length && !/[\s;|&<>()]/.test(text.charAt(at))) {
    const char = text.charAt(at)
    if (char === "'" || char === '"') {
      const part = readQuoted(text, at)
      value += part.value
      at = part.end
    } else if (char === '\\') {
      if (/^\r?\n/.test(text.slice(at + 1, at + 3))) break
      value += text.charAt(at + 1)
      at += 2
    } else {
      value += char
      at += 1
    }
  }
  return { start, end: Math.min(at, text.length), value, operator: false }
}

function readQuoted(text: string, start: number): { value: string; end: number } {
  const quote = text.charAt(start)
  let at = start + 1
  let value = ''
  while (at < text.length && text.charAt(at) !== quote) {
    if (quote === '"' && text.charAt(at) === '\\' && /["\\$`]/.test(text.charAt(at + 1))) at += 1
    value += text.charAt(at)
    at += 1
  }
  return { value, end: at + 1 }
}

/** An argument list as one line that a shell would read back as the same words. For display; `<redacted>` is left bare. */
export function quoteWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) || word === '<redacted>' ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ')
}
