import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  absoluteTime,
  bytesText,
  clockText,
  contextLabel,
  countText,
  csvField,
  csvText,
  dayText,
  decimalText,
  durationText,
  fineMsText,
  fixed,
  htmlText,
  markdownBlock,
  markdownText,
  msText,
  parseContext,
  parseContexts,
  percentText,
  rateText,
  relativeTime,
  secondsText,
  shortSecondsText,
  totalText,
  totalWithUnit,
} from './index.ts'

describe('contexts', () => {
  test.each([
    [0, '0'],
    [1, '1'],
    [512, '512'],
    [1000, '1,000'],
    [1024, '1K'],
    [8192, '8K'],
    [257_024, '251K'],
    [262_143, '256K'],
    [262_144, '256K'],
    [100_000, '100,000'],
    [1_048_576, '1,024K'],
  ])('%d is labelled %s', (tokens, label) => expect(contextLabel(tokens)).toBe(label))

  test('reads lists as people type them', () => {
    expect(parseContexts('0,8k,251K,max')).toEqual([0, 8192, 257_024, 'max'])
    expect(parseContexts(' 8k 16k ')).toEqual([8192, 16_384])
    expect(parseContext('1,000')).toBe(1000)
    for (const wrong of ['', '8kk', '-1', '1.5k', 'eight', '0x10', '9'.repeat(30)]) {
      expect(() => parseContexts(wrong)).toThrow(RangeError)
    }
  })

  test('a label can be read back', () => {
    const sizes = fc.integer({ min: 0, max: 10_000_000 }).filter((tokens) => tokens < 8192 || (tokens + 1) % 1024 !== 0)
    fc.assert(fc.property(sizes, (tokens) => parseContext(contextLabel(tokens)) === tokens))
    fc.assert(fc.property(fc.integer({ min: 1, max: 1000 }), (k) => contextLabel(k * 1024) === `${countText(k)}K`))
  })
})

describe('figures as published', () => {
  test.each([
    [455.3, '455.3'],
    [1742.5, '1,742.5'],
    [9999.94, '9,999.9'],
    [9999.96, '10K'],
    [10_000, '10K'],
    [11_814, '11.8K'],
    [15_000, '15K'],
    [14_960, '15K'],
    [90_123, '90.1K'],
    [0, '0.0'],
    [undefined, '—'],
    [Number.NaN, '—'],
  ])('%s tok/s is %s', (value, text) => expect(rateText(value)).toBe(text))

  test('times, counts and sizes', () => {
    expect(msText(1173.4)).toBe('1,173 ms')
    expect(fineMsText(2.25)).toBe('2.3 ms')
    expect(secondsText(30)).toBe('30.0 s')
    expect(shortSecondsText(30)).toBe('30 s')
    expect(shortSecondsText(0.5)).toBe('0.5 s')
    expect(shortSecondsText(100)).toBe('100 s')
    expect(countText(354_459)).toBe('354,459')
    expect(decimalText(1)).toBe('1.0')
    expect(fixed(-0.04, 1)).toBe('0.0')
    expect(fixed(1.005, 2)).toBe('1.01')
    expect(percentText(0.4242)).toBe('0.42 %')
    expect(percentText(12.6)).toBe('13 %')
    expect(bytesText(1536)).toBe('1.5 KiB')
    expect(bytesText(127_000_000)).toBe('121 MiB')
    expect(bytesText(900)).toBe('900 B')
  })

  test('a figure read back is the figure within half of its last digit', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 9_000_000, noNaN: true }), (value) => {
        const text = rateText(value)
        const factor = text.endsWith('K') ? 1000 : 1
        const back = Number(text.replace('K', '').replaceAll(',', '')) * factor
        expect(Math.abs(back - value)).toBeLessThanOrEqual(0.05 * factor + 1e-6)
        expect(text).toMatch(/^\d{1,3}(,\d{3})*(\.\d)?K?$/)
      }),
    )
  })
})

test('durations and instants', () => {
  expect(durationText(0.44)).toBe('0.4 s')
  expect(durationText(12.4)).toBe('12 s')
  expect(durationText(65)).toBe('1 min 05 s')
  expect(durationText(3780)).toBe('1 h 03 min')
  expect(durationText(90_000)).toBe('1 d 1 h')
  expect(durationText(59.7)).toBe('1 min 00 s')
  expect(clockText(3725)).toBe('1:02:05')
  expect(clockText(65)).toBe('1:05')
  const at = Date.UTC(2026, 9, 7, 18, 3, 59)
  expect(absoluteTime(at)).toBe('2026-10-07 18:03 UTC')
  expect(dayText('2026-10-07T18:03:59.000Z')).toBe('2026-10-07')
  expect(absoluteTime('not a date')).toBe('—')
  expect(relativeTime(at, at + 10_000)).toBe('just now')
  expect(relativeTime(at, at + 185_000)).toBe('3 minutes ago')
  expect(relativeTime(at, at - 7_200_000)).toBe('in 2 hours')
  expect(relativeTime(at, at + 3 * 86_400_000)).toBe('3 days ago')
  expect(relativeTime(at, at + 40 * 86_400_000)).toBe('2026-10-07')
})

test('a total says when it is events of unknown size', () => {
  expect(totalText({ totalTokensPerSecond: 1143.2 })).toBe('1,143.2')
  expect(totalWithUnit({ totalTokensPerSecond: 1143.2 })).toBe('1,143.2 tok/s')
  expect(totalText({ eventsPerSecond: 229.9 })).toBe('229.9 ev/s')
  expect(totalWithUnit({ eventsPerSecond: 229.9 })).toBe('229.9 ev/s')
  expect(totalText({})).toBe('—')
})

describe('escaping', () => {
  test('csv quotes, and keeps spreadsheets from calculating', () => {
    expect(
      csvText([
        ['a', 1.5, undefined, true],
        ['x,y', 'say "hi"', 'two\nlines', ''],
      ]),
    ).toBe('a,1.5,,true\r\n"x,y","say ""hi""","two\nlines",\r\n')
    expect(csvField('=HYPERLINK("x")')).toBe('"\'=HYPERLINK(""x"")"')
    for (const start of ['=', '+', '-', '@', '\t=', ' =']) expect(csvField(`${start}cmd`)).toContain("'")
    expect(csvField(-1.5)).toBe('-1.5')
    expect(csvField('-1.5')).toBe('-1.5')
  })

  test('html has no markup left, whatever the text', () => {
    expect(htmlText(`<img src=x onerror="a('b')">&\u0000`)).toBe(
      '&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;\\u0000',
    )
    fc.assert(fc.property(fc.string(), (text) => !/[<>"']/.test(htmlText(text))))
  })

  test('markdown stays in its cell and its block', () => {
    expect(markdownText('a|b `c` <b>*d*\n[e](f)')).toBe('a\\|b \\`c\\` &lt;b&gt;\\*d\\* \\[e\\](f)')
    expect(markdownText('- x')).toBe('\\- x')
    expect(markdownBlock('x\n```\ny')).toBe('````\nx\n```\ny\n````')
    fc.assert(fc.property(fc.string(), (text) => !/(^|[^\\])\|/.test(markdownText(text)) && !/[\r\n<>]/.test(markdownText(text))))
  })
})
