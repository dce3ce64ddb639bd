import ssh2 from 'ssh2'
import { expect, it } from 'vitest'
import { makeKeyPair } from './key-pair.ts'

it('makes pairs that can be read, every one', () => {
  // One in 256 of ssh2's own can't.
  const pairs = Array.from({ length: 3000 }, () => makeKeyPair('demo'))
  const keys = pairs.flatMap((pair) => [pair.private, pair.public])
  expect(keys.map((key) => ssh2.utils.parseKey(key)).filter((parsed) => parsed instanceof Error)).toEqual([])
  expect(new Set(keys).size).toBe(6000)
})
