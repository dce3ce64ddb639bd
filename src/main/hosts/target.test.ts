import { describe, expect, test } from 'vitest'
import { nearNames } from './near-names.ts'
import { parseTarget } from './target.ts'

describe('addresses as people type them', () => {
  test.each([
    ['lab1', { address: 'lab1' }],
    ['ann@lab1.example.org', { user: 'ann', address: 'lab1.example.org' }],
    ['ann@10.0.0.5:2222', { user: 'ann', address: '10.0.0.5', port: 2222 }],
    ['[::1]:2222', { address: '::1', port: 2222 }],
    ['ann@fe80::1', { user: 'ann', address: 'fe80::1' }],
    ['ann@corp@gate', { user: 'ann@corp', address: 'gate' }],
    ['ssh://ann@lab1:22/', { user: 'ann', address: 'lab1', port: 22 }],
  ])('%s', (text, target) => expect(parseTarget(text)).toEqual(target))

  test.each([
    '',
    '@lab',
    'ann@',
    'lab:',
    'lab:port',
    'lab:99999',
    'lab:0',
    '-oProxyCommand=x',
    'ann@-x',
    'two words',
    'ann:secret@lab',
  ])('%s is refused', (text) => expect(() => parseTarget(text)).toThrow(expect.objectContaining({ code: 'usage' })))
})

test('typos find their names', () => {
  const names = ['h200-lab', 'rtx-box', 'spark']
  expect(nearNames('h20-lab', names)).toEqual(['h200-lab'])
  expect(nearNames('RTX', names)).toEqual(['rtx-box'])
  expect(nearNames('entirely-else', names)).toEqual([])
})
