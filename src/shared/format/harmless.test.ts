/* oxlint-disable no-control-regex, no-misleading-character-class -- control characters are what this is about */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvField, harmless, htmlText, jsonText, markdownBlock, markdownText } from './index.ts'

const E = '\u001b'
const EVIL = `a${E}[2J${E}]0;owned\u0007b\u009b31mc\u202ed\u2066e\u200ef\u200bg\u2028h\u0008i\u007fj\ufeffk\rl\u{e0041}`
const STEERS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u

describe('text of foreign origin', () => {
  test.each(Object.entries({ harmless, htmlText, markdownText, markdownBlock, csvField, jsonText }))(
    '%s lets nothing through that steers, hides or turns around',
    (_name, write) => {
      expect(write(EVIL)).not.toMatch(STEERS)
      expect(write(EVIL)).toContain('owned')
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (text) => {
          expect(write(text)).not.toMatch(STEERS)
        }),
      )
    },
  )

  test('is shown, not dropped; what is plain stays', () => {
    expect(harmless(`x${E}[2J\u202ey`)).toBe('x\\u001b[2J\\u202ey')
    expect(harmless('tab\there\nnext\r\nlast')).toBe('tab\there\nnext\nlast')
    expect(harmless('héllo 日本 👨‍👩‍👧 می‌خواهم')).toBe('héllo 日本 👨‍👩‍👧 می‌خواهم')
    expect(harmless('pass\u200dword')).toBe('pass\\u200dword')
  })

  test('colours go, or stay where they are asked for; concealed text is never concealed', () => {
    const text = `${E}[31mred${E}[0m ${E}[8mhidden${E}[1;8mx${E}[38;2;0;0;0my${E}[2Jz`
    expect(harmless(text)).toBe('red hiddenxy\\u001b[2Jz')
    expect(harmless(text, { colours: true })).toBe(`${E}[31mred${E}[0m hiddenxy\\u001b[2Jz`)
    expect(harmless(harmless(EVIL, { colours: true }), { colours: true })).toBe(harmless(EVIL, { colours: true }))
  })

  test('JSON says the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        const text = jsonText(value)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(text).not.toMatch(STEERS)
      }),
    )
    expect(jsonText({ a: EVIL }, 2)).toContain('\\u202e')
  })
})

describe('cells of a spreadsheet', () => {
  test.each([
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ' =1',
    '\n=1',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    '\u200b=1',
    '-',
    '=cmd|x',
  ])('%j is no formula', (text) => {
    expect(csvField(text).replace(/^"/, '')).not.toMatch(/^\s*[=+\-@＝＋－＠]/)
  })
  test.each([
    ['-12.5', '-12.5'],
    ['+3', '+3'],
    ['1e-5', '1e-5'],
    ['a;=1', '"a;=1"'],
    ['plain', 'plain'],
  ])('%s is %s', (text, field) => expect(csvField(text)).toBe(field))
  test('numbers stay numbers', () =>
    expect([csvField(-1.5), csvField(-1e-7), csvField(Number.NaN)]).toEqual(['-1.5', '-1e-7', '']))
})

test('Markdown makes no link, no code and no cell of it', () => {
  expect(markdownText('see http://evil/x, www.evil.com and a@b.c | `x` <b> [y](http://z) ![i](j)')).toBe(
    'see http:\\//evil/x, www\\.evil.com and a\\@b.c \\| \\`x\\` &lt;b&gt; \\[y\\](http:\\//z) !\\[i\\](j)',
  )
})
