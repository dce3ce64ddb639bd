import { expect, it } from 'vitest'
import { editDistance, nearest } from './nearest.ts'

it('measures edits with transpositions', () => {
  expect(editDistance('', 'abc')).toBe(3)
  expect(editDistance('kitten', 'sitting')).toBe(3)
  expect(editDistance('ab', 'ba')).toBe(1)
})

it('finds what a typo meant and nothing for another word', () => {
  const names = ['contexts', 'concurrency', 'maxOutputTokens', 'seed', 'seconds']
  expect(nearest('contxts', names)).toBe('contexts')
  expect(nearest('max-output-token', names)).toBe('maxOutputTokens')
  expect(nearest('conccurency', names)).toBe('concurrency')
  expect(nearest('flavour', names)).toBeUndefined()
  expect(nearest('', names)).toBeUndefined()
})
