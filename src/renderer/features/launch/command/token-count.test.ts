import { describe, expect, it } from 'vitest'
import { tokenCount } from './token-count.ts'

describe('token counts', () => {
  it.each([
    ['262144', 262_144],
    ['256K', 262_144],
    ['256k', 256_000],
    ['25.6k', 25_600],
    ['1M', 1_048_576],
  ])('%s is %d', (written, tokens) => {
    expect(tokenCount(written).tokens).toBe(tokens)
  })

  it('says what is wrong', () => {
    expect(tokenCount('25.6K').problem).toContain('small k')
    expect(tokenCount('0').problem).toContain('From 1')
    expect(tokenCount('lots').problem).toContain('256K')
    expect(tokenCount('auto').problem).toBeUndefined()
  })
})
