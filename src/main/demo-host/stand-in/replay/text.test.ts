import { describe, expect, it } from 'vitest'
import { createPrefixCache, createPromptBlocks } from './prefix-cache.ts'
import { createTokenText, LOOP_TOKENS } from './text.ts'
import { tokenize, toTokenId } from './tokenizer.ts'

/** The longest exact period at the end of a text: how many characters repeat with any period up to `longest`. */
function repeatedTail(text: string, longest: number): { period: number; chars: number } {
  let best = { period: 0, chars: 0 }
  for (let period = 1; period <= longest; period += 1) {
    let chars = 0
    while (chars < text.length - period && text[text.length - 1 - chars] === text[text.length - 1 - chars - period]) chars += 1
    if (chars > best.chars) best = { period, chars }
  }
  return best
}

describe('token text', () => {
  it('reads like words and does not repeat itself', () => {
    const text = createTokenText(1).next(4096, false)
    expect(text).toMatch(/^( [a-z]+\.?)+$/)
    expect(repeatedTail(text, 3000).chars).toBeLessThan(40)
  })

  it('is the same for a seed, another for another', () => {
    expect(createTokenText(7).next(50, false)).toBe(createTokenText(7).next(50, false))
    expect(createTokenText(7).next(50, false)).not.toBe(createTokenText(8).next(50, false))
  })

  it('loops exactly when asked, in tokens so long that 4,096 characters take 64 of them', () => {
    const text = createTokenText(1)
    const looping = Array.from({ length: 40 }, () => text.next(2, true)).join('')
    expect(looping.length).toBeGreaterThan(4096 + LOOP_TOKENS.join('').length)
    expect(repeatedTail(looping, 400)).toEqual({
      period: LOOP_TOKENS.join('').length,
      chars: looping.length - LOOP_TOKENS.join('').length,
    })
  })

  it('needs no escaping in JSON and is ASCII', () => {
    const text = createTokenText(3).next(65_536, false) + createTokenText(3).next(3, true)
    expect(JSON.stringify(text)).toBe(`"${text}"`)
    expect(Buffer.byteLength(text)).toBe(text.length)
  })
})

describe('the tokenizer', () => {
  const idsOf = (text: string) => {
    const ids: number[] = []
    const count = tokenize(text, { token: (hash) => ids.push(toTokenId(hash)) })
    expect(ids).toHaveLength(count)
    return ids
  }

  it.each([
    ['', 0],
    ['word', 1],
    [' word', 1],
    ['longword', 2],
    ['two words', 2],
    ['a  b', 3],
    ['12345', 2],
    ['end. New\nline', 5],
    ['größe', 4],
  ])('%j has %i tokens', (text, expected) => {
    expect(idsOf(text)).toHaveLength(expected)
  })

  it('gives the same ids for the same text and ids of a usual vocabulary', () => {
    const ids = idsOf('The same text, twice.')
    expect(idsOf('The same text, twice.')).toEqual(ids)
    expect(Math.min(...ids)).toBeGreaterThanOrEqual(1000)
    expect(Math.max(...ids)).toBeLessThan(151_000)
  })
})

describe('the prefix cache', () => {
  const blocksOf = (text: string, salt?: number) => {
    const blocks = createPromptBlocks(salt)
    return { tokens: tokenize(text, blocks), hashes: blocks.hashes }
  }
  const long = Array.from({ length: 500 }, (_unused, index) => `x${index}`).join(' ')

  it('knows a prompt again, all but its last token’s block, and its longer continuation', () => {
    const cache = createPrefixCache(100_000)
    const prompt = blocksOf(long)
    expect(cache.cachedTokens(prompt.hashes, prompt.tokens)).toBe(0)
    cache.insert(prompt.hashes)
    const cached = cache.cachedTokens(prompt.hashes, prompt.tokens)
    expect(cached).toBeGreaterThanOrEqual(prompt.tokens - 16)
    expect(cached).toBeLessThan(prompt.tokens)
    const longer = blocksOf(`${long} and more of it`)
    expect(cache.cachedTokens(longer.hashes, longer.tokens)).toBeGreaterThan(prompt.tokens - 32)
  })

  it('takes another first token or another salt for another prompt', () => {
    const cache = createPrefixCache(100_000)
    cache.insert(blocksOf(long).hashes)
    const changed = blocksOf(`y ${long}`)
    expect(cache.cachedTokens(changed.hashes, changed.tokens)).toBe(0)
    const salted = blocksOf(long, 5)
    expect(cache.cachedTokens(salted.hashes, salted.tokens)).toBe(0)
  })

  it('forgets what was used longest ago', () => {
    const first = blocksOf(`1 ${long}`)
    const second = blocksOf(`2 ${long}`)
    const cache = createPrefixCache(first.tokens + 16)
    cache.insert(first.hashes)
    cache.insert(second.hashes)
    expect(cache.cachedTokens(first.hashes, first.tokens)).toBe(0)
    expect(cache.cachedTokens(second.hashes, second.tokens)).toBeGreaterThan(second.tokens - 32)
  })
})
