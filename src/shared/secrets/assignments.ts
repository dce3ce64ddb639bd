import { isPlainValue, isSecretFlag, mayNameSecret, type SecretGrade, secretGrade } from './names.ts'
import { REDACTED } from './redacted.ts'

/*
 * Secrets that a name in front of them gives away, in any text: JSON (nested, and as text in JSON), Python's dicts and lists, `NAME=value`,
 * `?token=…&api_key=…`, headers, flags. One pass over the text; every look back or ahead is short or moves the pass on, so that a line of
 * any length costs in proportion to it.
 */

const SEPARATOR = /[=:]|%3[ad]/gi
const NAME_CHARS = /[A-Za-z0-9_.$-]/
const LONGEST_NAME = 100
/** What may follow a value in a list of `name=value` without a space between. */
const NEXT_NAME = /[,;&](?:\s|["'\\]|[A-Za-z_][\w.-]{0,60}(?:=|:))/y

interface Hidden {
  start: number
  end: number
  shown: string
}

export function redactAssignments(text: string): string {
  if (!mayNameSecret(text)) return text
  return replaceEach(text, SEPARATOR, (found, at) => {
    const name = nameBefore(text, at)
    if (name === undefined) return undefined
    return valueAfter(text, at + found.length, { ...name, isColon: found === ':' || found.toLowerCase() === '%3a' })
  })
}

/** Calls `look` at each place of the pattern; what it says is hidden is skipped over. */
function replaceEach(text: string, pattern: RegExp, look: (found: string, at: number) => Hidden | undefined): string {
  const places = new RegExp(pattern)
  let out = ''
  let from = 0
  for (;;) {
    const match = places.exec(text)
    if (match === null) return from === 0 ? text : out + text.slice(from)
    const hidden = look(match[0], match.index)
    if (hidden === undefined || hidden.start < from) continue
    out += text.slice(from, hidden.start) + hidden.shown
    from = hidden.end
    places.lastIndex = Math.max(places.lastIndex, from)
  }
}

interface Name {
  grade: SecretGrade
  isQuoted: boolean
  /** In the query of an address. */
  isParameter: boolean
  isHeader: boolean
  isSpaced: boolean
}

function nameBefore(text: string, separator: number): Name | undefined {
  let at = separator
  while (at > 0 && separator - at < 4 && text.charAt(at - 1) === ' ') at -= 1
  const isSpaced = at < separator
  const isQuoted = /["']/.test(text.charAt(at - 1))
  if (isQuoted) {
    at -= 1
    for (let count = 0; count < 32 && text.charAt(at - 1) === '\\'; count += 1) at -= 1
  }
  const end = at
  while (at > 0 && end - at < LONGEST_NAME && NAME_CHARS.test(text.charAt(at - 1))) at -= 1
  if (at === end) return undefined
  const name = text.slice(at, end)
  const before = text.charAt(at - 1)
  const isParameter = before === '?' || before === '&'
  const grade = secretGrade(name) ?? (isParameter && /^(?:key|sig|signature)$|signature$/i.test(name) ? 'sure' : undefined)
  if (grade === undefined) return undefined
  const isHeader = /(?:^|-)(?:authorization|cookie)$/i.test(name)
  return { grade: isParameter ? 'sure' : grade, isQuoted, isParameter, isHeader, isSpaced }
}

function valueAfter(text: string, from: number, name: Name & { isColon: boolean }): Hidden | undefined {
  let at = from
  while (at - from < 2 && /[=>]/.test(text.charAt(at))) at += 1
  // `NAME= next word` is an empty value; `name = value` and `name: value` are not.
  if (name.isColon || name.isSpaced || name.isQuoted) at = skipSpace(text, at, name.isQuoted)
  if (/[bruf]/i.test(text.charAt(at)) && /["']/.test(text.charAt(at + 1))) at += 1
  const quote = quoteAt(text, at)
  if (quote !== undefined) {
    const inner = at + quote.length
    const end = closingQuote(text, inner, quote)
    return hide(text, inner, end, name, isLoose(name, true))
  }
  if (text.charAt(at) === '[' || text.charAt(at) === '{') return hideBracket(text, at)
  const start = afterScheme(text, at)
  const end = bareEnd(text, start, name)
  return hide(text, start, end, name, start === at && isLoose(name, false))
}

/** Whether only what looks like a secret is one: an ordinary word with a colon behind it, in a sentence. */
const isLoose = (name: Name & { isColon: boolean }, inQuotes: boolean) => name.grade === 'likely' && !name.isQuoted && !inQuotes

function hide(text: string, start: number, end: number, name: Name & { isColon: boolean }, isLoose: boolean): Hidden | undefined {
  const value = text.slice(start, Math.min(end, start + 200))
  if (end <= start || isPlainValue(value) || value === REDACTED) return undefined
  if (isLoose && !looksRandom(value)) return undefined
  // In a sentence: "API key: none was given".
  if (name.isColon && !name.isQuoted && !name.isHeader && /^[a-z]{1,5}$/.test(value) && /^ [a-z]/.test(text.slice(end, end + 2)))
    return undefined
  return { start, end, shown: REDACTED }
}

/** Long, or letters and digits together: no word of a sentence. */
export const looksRandom = (value: string): boolean =>
  value.length >= 20 ||
  (value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value)) ||
  (value.length >= 8 && /[a-z][A-Z]|\d/.test(value))

function skipSpace(text: string, from: number, acrossLines: boolean): number {
  let at = from
  const space = acrossLines ? /[ \t\r\n]/ : /[ \t]/
  while (at - from < 64 && space.test(text.charAt(at))) at += 1
  return at
}

/** An opening quote with the backslashes in front of it (JSON inside of JSON). */
function quoteAt(text: string, at: number): string | undefined {
  let end = at
  while (end - at < 32 && text.charAt(end) === '\\') end += 1
  return /["'`]/.test(text.charAt(end)) ? text.slice(at, end + 1) : undefined
}

/** Where the value ends: before its closing quote, or with its line where that was cut off. */
function closingQuote(text: string, from: number, quote: string): number {
  const depth = quote.length - 1
  const mark = quote.charAt(depth)
  let slashes = 0
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\n') return at
    if (char === mark && (depth === 0 ? slashes % 2 === 0 : slashes <= depth)) return at - slashes * (depth === 0 ? 0 : 1)
    slashes = char === '\\' ? slashes + 1 : 0
  }
  return text.length
}

/** `[…]` or `{…}` as one secret, unless it holds nothing but numbers and "there is none". */
function hideBracket(text: string, start: number): Hidden | undefined {
  let depth = 0
  let quote = ''
  let mark = '"'
  let at = start
  for (; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (quote !== '') {
      if (char === '\\') at += 1
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") {
      if (depth === 1 || mark === '"') mark = char
      quote = text.charAt(at - 1) === '\\' ? '' : char
    } else if (char === '[' || char === '{') depth += 1
    else if (char === ']' || char === '}') {
      depth -= 1
      if (depth === 0) break
    }
  }
  const end = Math.min(text.length, at + 1)
  const inner = text.slice(start + 1, end - 1)
  if (inner.length < 4096 && inner.split(/[,\s]/).every((part) => isPlainValue(part) || /^-?[\d.]+$/.test(part))) return undefined
  if (inner.startsWith(REDACTED) || inner.slice(1).startsWith(REDACTED)) return undefined
  const slashes = /^[^"']{0,3}(\\{1,32})["']/.exec(inner.slice(0, 40))?.[1] ?? ''
  return { start, end, shown: `${slashes}${mark}${REDACTED}${slashes}${mark}` }
}

/** `Bearer`, `Basic` … stay: only what follows is secret. */
function afterScheme(text: string, at: number): number {
  const scheme = /^(?:bearer|basic|token|digest|apikey|negotiate)[ \t]{1,8}(?=\S)/i.exec(text.slice(at, at + 24))?.[0] ?? ''
  return at + scheme.length
}

function bareEnd(text: string, start: number, name: Name): number {
  let at = start
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '<' && text.startsWith(REDACTED, at)) {
      at += REDACTED.length
      continue
    }
    if (/["'`<>\r\n]/.test(char)) break
    // A cookie goes on behind its blanks.
    if (/\s/.test(char) && !(name.isHeader && /[;=]/.test(text.charAt(at - 1)))) break
    if (name.isParameter && (char === '&' || char === '#')) break
    if (char === '%' && text.slice(at, at + 3) === '%26') break
    if (/[,;&]/.test(char)) {
      NEXT_NAME.lastIndex = at
      if (!name.isHeader && NEXT_NAME.test(text)) break
    }
    at += 1
  }
  // A quote's backslashes, and the brackets and commas around the value, are not part of it.
  if (/["']/.test(text.charAt(at))) while (at > start && text.charAt(at - 1) === '\\') at -= 1
  while (at > start && /[,;)\]}]/.test(text.charAt(at - 1))) at -= 1
  return at
}

const FLAG = /--[A-Za-z]/g
const FLAG_BEFORE = /[\s"'`,=([]/
/** Behind the beginning of a command, what follows a secret flag is its value; in a sentence it is the next word. */
const COMMAND = /(?:vllm serve|api_server)\s+\S/

/** `--api-key VALUE`, and `'--api-key', 'VALUE'` as Python prints argument lists. `--api-key=VALUE` is an assignment. */
export function redactFlags(text: string): string {
  if (!text.includes('--')) return text
  const commandAt = text.search(COMMAND)
  return replaceEach(text, FLAG, (_found, at) => {
    if (at > 0 && !FLAG_BEFORE.test(text.charAt(at - 1))) return undefined
    let end = at + 2
    while (end < text.length && end - at < LONGEST_NAME && NAME_CHARS.test(text.charAt(end))) end += 1
    if (!isSecretFlag(text.slice(at, end))) return undefined
    return flagValue(text, end, commandAt >= 0 && commandAt < at)
  })
}

function flagValue(text: string, end: number, isCommand: boolean): Hidden | undefined {
  const isInline = text.charAt(end) === '='
  const gap = isInline ? '=' : (/^[\\"'`,\s]{1,12}/.exec(text.slice(end, end + 12))?.[0] ?? '')
  if (gap === '') return undefined
  const start = end + gap.length
  const quote = /["'`]$/.exec(gap)?.[0]
  let stop = start
  while (stop < text.length && (quote === undefined ? !/[\s"'`<>]/.test(text.charAt(stop)) : text.charAt(stop) !== quote))
    stop += 1
  if (quote !== undefined || /["'`]/.test(text.charAt(stop))) while (stop > start && text.charAt(stop - 1) === '\\') stop -= 1
  const trailing = quote === undefined ? /[,;)\]}.]/ : /(?!)/
  while (stop > start && trailing.test(text.charAt(stop - 1))) stop -= 1
  const value = text.slice(start, Math.min(stop, start + 200))
  if (
    value === '' ||
    value.startsWith('-') ||
    value.startsWith('<') ||
    /^(?:…|\.\.\.|[A-Z_]+)$/.test(value) ||
    isPlainValue(value)
  )
    return undefined
  const isList = quote !== undefined && /,/.test(gap)
  return isList || isInline || isCommand || looksRandom(value) ? { start, end: stop, shown: REDACTED } : undefined
}
