import { describe, expect, test } from 'vitest'
import { createLoopDetector, type LoopDetector } from './loop-detector.ts'
import type { LoopFinding } from './types.ts'

/** Deterministic text without repetition. */
function prose(chars: number, seed = 7): string {
  let state = seed
  let text = ''
  while (text.length < chars) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += String.fromCharCode(97 + ((state >>> 16) % 26))
    if (state % 5 === 0) text += ' '
  }
  return text.slice(0, chars)
}

function feed(detector: LoopDetector, text: string, size = text.length, channel: LoopFinding['channel'] = 'content') {
  let found: LoopFinding | undefined
  for (let at = 0; at < text.length; at += size) found ??= detector.push(channel, text.slice(at, at + size))
  return found ?? detector.end()
}

describe('loop detector', () => {
  test.each([1, 7, 256, 901, Infinity])('finds the same whatever the fragments (%s)', (size) => {
    const text = prose(3000) + prose(1500, 3).repeat(5)
    const found = feed(createLoopDetector(), text, Math.min(size, text.length))
    expect(found).toEqual({
      channel: 'content',
      periodChars: 1500,
      cycles: 4,
      repeatedChars: expect.any(Number) as number,
      excerpt: expect.any(String) as string,
    })
    expect(found).toEqual(feed(createLoopDetector(), text))
  })

  test('short cycles need 4,096 characters', () => {
    const suspected = createLoopDetector()
    expect(feed(suspected, 'duct'.repeat(1023))).toBeUndefined()
    expect(suspected.level).toBe('suspected')
    const found = feed(createLoopDetector(), 'duct'.repeat(1024))
    expect(found).toEqual({ channel: 'content', periodChars: 4, cycles: 1024, repeatedChars: 4096, excerpt: 'duct' })
  })

  test('long cycles need four of them', () => {
    const suspected = createLoopDetector()
    expect(feed(suspected, prose(1500).repeat(3))).toBeUndefined()
    expect(suspected.level).toBe('suspected')
    expect(feed(createLoopDetector(), prose(1500).repeat(4))).toMatchObject({ periodChars: 1500, cycles: 4, repeatedChars: 6000 })
  })

  test.each([222, 384, 9560, 32_768])('confirms a period of %i characters with Unicode in it', (period) => {
    const cycle = `${prose(period - 4)}é漢🜁ß`
    expect(Array.from(cycle)).toHaveLength(period)
    const cycles = Math.max(4, Math.ceil(4096 / period))
    const found = feed(createLoopDetector(), prose(200, 99) + cycle.repeat(cycles), 11)
    expect(found).toMatchObject({ periodChars: period })
    expect(found?.cycles).toBeGreaterThanOrEqual(4)
  })

  test('a period beyond 32,768 is none', () => {
    const detector = createLoopDetector()
    expect(feed(detector, prose(32_769).repeat(5))).toBeUndefined()
    expect(detector.level).toBe('none')
  })

  test('whitespace, numbered lines and prose never are', () => {
    const lines = Array.from({ length: 4000 }, (_, index) => `${index + 1}. the next line of the list\n`).join('')
    for (const text of [' '.repeat(20_000), ' \n\t'.repeat(8000), lines, prose(300_000)]) {
      const detector = createLoopDetector()
      expect(feed(detector, text, 37)).toBeUndefined()
      expect(detector.level).toBe('none')
    }
  })

  test('reasoning and content are looked at separately', () => {
    const detector = createLoopDetector()
    const cycle = prose(100)
    for (let each = 0; each < 30; each++) {
      expect(detector.push('reasoning', cycle)).toBeUndefined()
      expect(detector.push('content', cycle)).toBeUndefined()
    }
    expect(detector.end()).toBeUndefined()
    expect(feed(createLoopDetector(), cycle.repeat(60), 50, 'reasoning')).toMatchObject({
      channel: 'reasoning',
      periodChars: 100,
    })
  })

  test('a loop far behind the start is found, and one finding is enough', () => {
    const detector = createLoopDetector()
    expect(feed(detector, prose(400_000), 513)).toBeUndefined()
    let found = 0
    for (let each = 0; each < 200; each++) if (detector.push('content', prose(64, 5))) found += 1
    expect(found).toBe(1)
    expect(detector.level).toBe('confirmed')
  })

  test('what is left at the end of a stream counts', () => {
    const detector = createLoopDetector()
    const text = prose(100) + 'abcdefg'.repeat(586)
    expect(text.length % 256).not.toBe(0)
    expect(detector.push('content', text)).toBeUndefined()
    expect(detector.end()).toMatchObject({ periodChars: 7, repeatedChars: 4102 })
  })
})
