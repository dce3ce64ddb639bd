import { createCharHistory, type CharHistory } from './char-history.ts'
import type { LoopFinding } from './types.ts'

/** published-method.md 2.9 and 8; all in characters. */
const BLOCK = 256
const ANCHOR = 64
const MAX_CANDIDATES = 64
const MAX_PERIOD = 32_768
const HISTORY = 131_072
const SUSPECTED = { cycles: 3, chars: 1024 }
const CONFIRMED = { cycles: 4, chars: 4096 }
const EXCERPT_CHARS = 200

export interface RepetitionCheck {
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

type Units = Uint16Array | Uint32Array

function isPeriodicTail(units: Units, end: number, length: number, period: number): boolean {
  for (let at = end - length + period; at < end; at++) if (units[at] !== units[at - period]) return false
  return true
}

function isWhitespaceOnly(units: Units, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!/\s/u.test(String.fromCodePoint(units[at] as number))) return false
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

/** Looks for exact repetition at the end of the text; its distance to an earlier copy of the last 64 characters is the period. */
export function checkRepetition(history: CharHistory): RepetitionCheck | undefined {
  const { units, start, end } = history.view()
  if (end - start < SUSPECTED.chars) return undefined
  const anchor = end - ANCHOR
  const first = units[anchor]
  const last = units[end - 1]
  const lowest = Math.max(start, anchor - MAX_PERIOD)
  let candidates = 0
  let suspected: RepetitionCheck | undefined
  for (let at = anchor - 1; at >= lowest; at--) {
    if (units[at] !== first || units[at + ANCHOR - 1] !== last) continue
    let same = 1
    while (same < ANCHOR - 1 && units[at + same] === units[anchor + same]) same += 1
    if (same < ANCHOR - 1) continue
    candidates += 1
    const found = checkPeriod(units, start, end, anchor - at)
    if (found?.level === 'confirmed') return found
    suspected ??= found
    if (candidates === MAX_CANDIDATES) break
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
  sinceCheck: number
  /** A high surrogate whose other half is in the next event. */
  carry: number
}

export function createLoopDetector(): LoopDetector {
  const channels = new Map<LoopFinding['channel'], Channel>()
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

  function add(name: LoopFinding['channel'], channel: Channel, codePoint: number): LoopFinding | undefined {
    channel.history.push(codePoint)
    channel.sinceCheck += 1
    return channel.sinceCheck === BLOCK ? check(name, channel) : undefined
  }

  function push(name: LoopFinding['channel'], text: string): LoopFinding | undefined {
    if (level === 'confirmed') return undefined
    let channel = channels.get(name)
    if (!channel) channels.set(name, (channel = { history: createCharHistory(HISTORY), sinceCheck: 0, carry: 0 }))
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      let codePoint = unit
      let found: LoopFinding | undefined
      if (channel.carry !== 0) {
        if (unit >= 0xdc00 && unit < 0xe000) codePoint = ((channel.carry - 0xd800) << 10) + (unit - 0xdc00) + 0x10000
        else found = add(name, channel, channel.carry)
        channel.carry = 0
        if (found) return found
      }
      if (codePoint >= 0xd800 && codePoint < 0xdc00) {
        channel.carry = codePoint
        continue
      }
      found = add(name, channel, codePoint)
      if (found) return found
    }
    return undefined
  }

  function end(): LoopFinding | undefined {
    if (level === 'confirmed') return undefined
    for (const [name, channel] of channels) {
      if (channel.sinceCheck === 0) continue
      const found = check(name, channel)
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
