import { isFlagWord } from './flags.ts'
import { quoteForPeople } from './quote.ts'
import type { ShellToken } from './words.ts'

/** The whole text, put right; `label` says what pressing it does. */
export interface Repair {
  label: string
  text: string
}

const CURLY = /[“”„‟«»‘’‚‛]/
const CURLY_PAIR = /[“„‟«]([^“”„‟«»]*)[”“»]|[‘‚‛]([^‘’‚‛]*)[’]/g
const LONG_DASH = /^[\u2010-\u2015\u2212]+-*(?=[A-Za-z])/
/** In place of a hyphen inside of a flag's name. */
const ODD_HYPHEN = /[\u2010-\u2015\u2212]/g
const SHORT = /^(?:tp|pp|dp|ep|dcp|pcp|q|sc|cc|asc|O\d?|n|r)$/

/** The apostrophe of a word is no quote. */
const APOSTROPHE = /([A-Za-z])’(?=[A-Za-z])/g

const bareText = (token: ShellToken) =>
  token.parts
    .filter((part) => !part.isLiteral && part.isBare)
    .map((part) => part.text)
    .join('')
    .replaceAll(APOSTROPHE, '$1')
const isJsonWithCurls = ({ value }: ShellToken) => /^(?:--?[\w.-]+=)?\s*[[{][\s\S]*[“”]/.test(value)

/** Words that hold quotes or dashes of a text processor where a shell wants plain ones. */
export function typographic(tokens: readonly ShellToken[]): ShellToken[] {
  return tokens.filter((token) => {
    if (token.kind !== 'word') return false
    const name = token.value.split('=')[0] ?? ''
    const isOddFlag = isFlagWord(name) && /[\u2010-\u2015\u2212]/.test(name)
    return CURLY.test(bareText(token)) || LONG_DASH.test(token.value) || isOddFlag || isJsonWithCurls(token)
  })
}

/** The text with plain quotes and dashes; what stood between curly quotes is quoted so that it stays as it is. */
export function withPlainMarks(text: string, words: readonly ShellToken[]): string {
  const first = words[0]
  if (first === undefined) return text
  const isPaired = words.some((word) => CURLY.test(bareText(word)))
  const plain = isPaired
    ? text.replaceAll(CURLY_PAIR, (_all, double: string | undefined, single: string | undefined) =>
        quoteForPeople(straight(double ?? single ?? '')),
      )
    : text
  return plain
    .split(/(\s+)/)
    .map((piece) => {
      const [name = ''] = piece.split('=')
      if (LONG_DASH.test(piece)) {
        const rest = name.replace(LONG_DASH, '').replaceAll(ODD_HYPHEN, '-')
        return (SHORT.test(rest) ? '-' : '--') + rest + straight(piece.slice(name.length))
      }
      return straight(isFlagWord(name) ? name.replaceAll(ODD_HYPHEN, '-') + piece.slice(name.length) : piece)
    })
    .join('')
}

const straight = (text: string) => text.replaceAll(/[“”„‟«»]/g, '"').replaceAll(/[‘’‚‛]/g, "'")

/**
 * JSON that stands in the command without quotes: a shell would take its own quotes away. Returns the words with such JSON whole, and
 * where it stands.
 */
export function joinBareJson(
  text: string,
  words: readonly ShellToken[],
): { words: ShellToken[]; found: { flag: string; start: number; end: number }[] } {
  const joined: ShellToken[] = []
  const found: { flag: string; start: number; end: number }[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]
    if (word === undefined) continue
    const [, before] = /^((?:--?[\w.-]+=)?)[[{]/.exec(text.slice(word.start, word.end)) ?? []
    const start = word.start + (before?.length ?? 0)
    const last =
      before === undefined ? undefined : words.slice(index, index + 60).find(({ end }) => isJson(text.slice(start, end)))
    if (before === undefined || last === undefined || !text.slice(start, last.end).includes('"')) {
      joined.push(word)
      continue
    }
    const value = before + text.slice(start, last.end)
    joined.push({ ...word, end: last.end, value, parts: [{ text: value, isLiteral: true, isBare: true }], isOpen: false })
    const flag = before === '' ? joined.at(-2)?.value : before.slice(0, -1)
    found.push({ flag: flag !== undefined && isFlagWord(flag) ? flag : 'an argument', start, end: last.end })
    index = words.indexOf(last)
  }
  return { words: joined, found }
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

export const withQuotes = (text: string, places: readonly { start: number; end: number }[]): string =>
  places.reduceRight(
    (rest, { start, end }) => rest.slice(0, start) + quoteForPeople(rest.slice(start, end)) + rest.slice(end),
    text,
  )
