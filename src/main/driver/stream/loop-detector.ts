import { createCharHistory, type CharHistory } from './char-history.ts'
import type { LoopFinding } from './types.ts'

/** docs/published-method.md 4; all in characters. */
const BLOCK = 256
const ANCHOR = 64
const MAX_CANDIDATES = 64
const MAX_PERIOD = 32_768
const HISTORY = 131_072
const SUSPECTED = { cycles: 3, chars: 1024 }
const CONFIRMED = { cycles: 4, chars: 4096 }
const EXCERPT_CHARS = 200

interface RepetitionCheck {
  level: 'suspected' | 'confirmed'
  periodChars: number
  cycles: number
  repeatedChars: number
}

/** Detects exact repetition in one request: text is looked at in blocks of 256 characters, per channel, and what is left at its end. */
export interface LoopDetector {
  /** Text of one event; returns the first confirmed finding, once. */
  push(channel: LoopFinding['channel'], text: string): LoopFinding | undefined
  /** The stream has ended. */
  end(): LoopFinding | undefined
  /** The strongest level seen so far. */
  readonly level: 'none' | 'suspected' | 'confirmed'
}

/** Unicode's White_Space, as /\s/ knows it. */
const WHITESPACE = new Set(
  Array.from(' \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff', (char) => char.charCodeAt(0)),
)
for (let code = 0x2000; code <= 0x200a; code++) WHITESPACE.add(code)

type Units = Uint16Array | Uint32Array

function isPeriodicTail(units: Units, end: number, length: number, period: number): boolean {
  for (let at = end - length + period; at < end; at++) if (units[at] !== units[at - period]) return false
  return true
}

function isWhitespaceOnly(units: Units, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!WHITESPACE.has(units[at] as number)) return false
  return true
}

/** Length of the longest suffix that repeats itself exactly every `period` characters. */
function periodicSuffix(units: Units, start: number, end: number, period: number): number {
  let at = end - 1 - period
  while (at >= start && units[at] === units[at + period]) at -= 1
  return end - 1 - at
}

function checkPeriod(units: Units, start: number, end: number, period: number): RepetitionCheck | undefined {
  const tail = Math.max(SUSPECTED.chars, SUSPECTED.cycles * period)
  if (tail > end - start || !isPeriodicTail(units, end, tail, period)) return undefined
  if (isWhitespaceOnly(units, end - period, end)) return undefined
  const repeatedChars = periodicSuffix(units, start, end, period)
  const cycles = Math.floor(repeatedChars / period)
  const confirmed = cycles >= CONFIRMED.cycles && repeatedChars >= CONFIRMED.chars
  return { level: confirmed ? 'confirmed' : 'suspected', periodChars: period, cycles, repeatedChars }
}

const PAIRS = 1024
const pairOf = (a: number, b: number): number => ((a * 31) ^ b) & (PAIRS - 1)
const shifts = new Uint8Array(PAIRS)

/** How far the search may step back when it sees a pair of characters: to where the anchor has that pair next (Horspool's rule, on pairs). */
function learnAnchor(units: Units, anchor: number): void {
  shifts.fill(ANCHOR - 1)
  for (let offset = ANCHOR - 2; offset >= 1; offset--) {
    shifts[pairOf(units[anchor + offset] as number, units[anchor + offset + 1] as number)] = offset
  }
}

function isSameText(units: Units, a: number, b: number, length: number): boolean {
  for (let offset = 0; offset < length; offset++) if (units[a + offset] !== units[b + offset]) return false
  return true
}

/** Looks for exact repetition at the end of the text; its distance to an earlier copy of the last 64 characters is the period. */
function checkRepetition(history: CharHistory): RepetitionCheck | undefined {
  const { units, start, end } = history.view()
  if (end - start < SUSPECTED.chars) return undefined
  const anchor = end - ANCHOR
  const first = pairOf(units[anchor] as number, units[anchor + 1] as number)
  const lowest = Math.max(start, anchor - MAX_PERIOD)
  let candidates = 0
  let suspected: RepetitionCheck | undefined
  learnAnchor(units, anchor)
  for (let at = anchor - 1; at >= lowest; ) {
    const pair = pairOf(units[at] as number, units[at + 1] as number)
    if (pair === first && isSameText(units, at, anchor, ANCHOR)) {
      candidates += 1
      const found = checkPeriod(units, start, end, anchor - at)
      if (found?.level === 'confirmed') return found
      suspected ??= found
      if (candidates === MAX_CANDIDATES) break
    }
    at -= shifts[pair] as number
  }
  return suspected
}

function excerptOf(history: CharHistory, periodChars: number): string {
  const { units, end } = history.view()
  const from = end - periodChars
  return String.fromCodePoint(...units.subarray(from, Math.min(end, from + EXCERPT_CHARS)))
}

interface Channel {
  history: CharHistory
  /** Text that waits until a block is full: taking it character by character as it comes would cost more than the check. */
  waiting: string
  /** Characters in `history` since the last check. */
  sinceCheck: number
}

/** Code points of a text from `from` on, at most `count` of them, into `codes`. Half a pair at the end of the text is left for later. */
function decode(text: string, from: number, count: number, codes: Uint32Array): { length: number; next: number } {
  let length = 0
  let at = from
  while (length < count && at < text.length) {
    let code = text.charCodeAt(at)
    if (code >= 0xd800 && code < 0xdc00) {
      if (at + 1 === text.length) break
      code = text.codePointAt(at) as number
    }
    codes[length++] = code
    at += code > 0xffff ? 2 : 1
  }
  return { length, next: at }
}

export function createLoopDetector(): LoopDetector {
  const channels = new Map<LoopFinding['channel'], Channel>()
  const codes = new Uint32Array(BLOCK)
  let level: LoopDetector['level'] = 'none'

  function check(name: LoopFinding['channel'], channel: Channel): LoopFinding | undefined {
    channel.sinceCheck = 0
    const found = checkRepetition(channel.history)
    if (!found) return undefined
    level = found.level
    if (found.level !== 'confirmed') return undefined
    const { periodChars, cycles, repeatedChars } = found
    return { channel: name, periodChars, cycles, repeatedChars, excerpt: excerptOf(channel.history, periodChars) }
  }

  function takeWaiting(name: LoopFinding['channel'], channel: Channel): LoopFinding | undefined {
    const text = channel.waiting
    let from = 0
    while (from < text.length) {
      const { length, next } = decode(text, from, BLOCK - channel.sinceCheck, codes)
      if (length === 0) break
      from = next
      channel.history.append(codes, length)
      channel.sinceCheck += length
      const found = channel.sinceCheck === BLOCK ? check(name, channel) : undefined
      if (found) return found
    }
    channel.waiting = text.slice(from)
    return undefined
  }

  function push(name: LoopFinding['channel'], text: string): LoopFinding | undefined {
    if (level === 'confirmed') return undefined
    let channel = channels.get(name)
    if (!channel) channels.set(name, (channel = { history: createCharHistory(HISTORY), waiting: '', sinceCheck: 0 }))
    channel.waiting += text
    return channel.waiting.length >= BLOCK - channel.sinceCheck ? takeWaiting(name, channel) : undefined
  }

  function end(): LoopFinding | undefined {
    if (level === 'confirmed') return undefined
    for (const [name, channel] of channels) {
      const found = takeWaiting(name, channel) ?? (channel.sinceCheck > 0 ? check(name, channel) : undefined)
      if (found) return found
    }
    return undefined
  }

  return {
    push,
    end,
    get level() {
      return level
    },
  }
}
