import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseScanner } from './sse.ts'

function scanAll(chunks: Buffer[]): string[] {
  const found: string[] = []
  const scanner = createSseScanner((data, name) => found.push(name === undefined ? data : `${name}!${data}`))
  for (const chunk of chunks) scanner.push(chunk)
  scanner.end()
  return found
}

function cut(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((place) => place % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}

describe('event scanner', () => {
  test('reads many events in one chunk, comments, CRLF, and data without a space', () => {
    const text =
      ': hello\n\ndata: {"a":1}\n\ndata:{"b":2}\r\n\r\nid: 7\nretry: 5\ndata: x\ndata: y\n\nevent: error\ndata: bad\n\ndata: [DONE]\n\n'
    expect(scanAll([Buffer.from(text)])).toEqual(['{"a":1}', '{"b":2}', 'x\ny', 'error!bad', '[DONE]'])
  })

  test('an event that lacks its blank line counts at the end of the stream', () => {
    expect(scanAll([Buffer.from('data: one\n\ndata: [DONE]')])).toEqual(['one', '[DONE]'])
    expect(scanAll([Buffer.from('data: one\n')])).toEqual(['one'])
    expect(scanAll([])).toEqual([])
  })

  test('gives the same events however the reads cut the bytes', () => {
    const value = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\ufeff]/g, ''))
    fc.assert(
      fc.property(fc.array(fc.record({ value, crlf: fc.boolean(), space: fc.boolean() })), fc.array(fc.nat()), (events, cuts) => {
        const eol = (crlf: boolean): string => (crlf ? '\r\n' : '\n')
        const bytes = Buffer.from(
          events
            .map((e) => `data:${e.space || e.value.startsWith(' ') ? ' ' : ''}${e.value}${eol(e.crlf)}${eol(e.crlf)}`)
            .join(''),
        )
        expect(scanAll(cut(bytes, cuts))).toEqual(events.map((e) => e.value))
      }),
    )
  })

  test('gives up on a line that never ends', () => {
    const scanner = createSseScanner(() => undefined)
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    expect(() => {
      for (let each = 0; each < 17; each++) scanner.push(chunk)
    }).toThrow(RangeError)
  })
})
