import { describe, expect, it } from 'vitest'
import { createByteLines, findExcess, readJson } from './index.ts'

function read(chunks: (string | Buffer)[], options: { maxBytes?: number; atReturns?: boolean } = {}) {
  const lines: [string, boolean][] = []
  let most = 0
  const splitter = createByteLines({ maxBytes: 100, ...options, onLine: (line, isCut) => lines.push([line, isCut]) })
  for (const chunk of chunks) {
    splitter.push(Buffer.from(chunk))
    most = Math.max(most, splitter.pendingBytes)
  }
  splitter.end()
  return { lines, most }
}
const whole = (...lines: string[]) => lines.map((line) => [line, false])

describe('createByteLines', () => {
  it('gives whole lines, however they are cut, also inside a character', () => {
    const bytes = Buffer.from('eins\n\nzwölf 🙂\r\nend')
    expect(read([bytes]).lines).toEqual(whole('eins', '', 'zwölf 🙂\r', 'end'))
    expect(read([...bytes].map((byte) => Buffer.from([byte]))).lines).toEqual(whole('eins', '', 'zwölf 🙂\r', 'end'))
    expect(read([bytes], { atReturns: true }).lines).toEqual(whole('eins', '', 'zwölf 🙂', '', 'end'))
  })

  it('keeps what waits when the buffer it came in is used again', () => {
    const lines: string[] = []
    const splitter = createByteLines({ maxBytes: 100, onLine: (line) => lines.push(line) })
    const buffer = Buffer.from('begin')
    splitter.push(buffer)
    buffer.fill('x')
    splitter.push(Buffer.from(' end\n'))
    expect(lines).toEqual(['begin end'])
  })

  it('cuts a line at the limit, says so, passes over the rest and goes on with the next', () => {
    const { lines, most } = read(['a\n', ...Array.from({ length: 1000 }, () => 'x'.repeat(37)), '\nb\n'])
    expect(lines).toEqual([
      ['a', false],
      ['x'.repeat(100), true],
      ['b', false],
    ])
    expect(most).toBeLessThanOrEqual(100)
    expect(read([`${'y'.repeat(100)}\n`]).lines).toEqual(whole('y'.repeat(100)))
    expect(read([`${'y'.repeat(101)}\nz`]).lines).toEqual([
      ['y'.repeat(100), true],
      ['z', false],
    ])
  })
})

describe('readJson', () => {
  it('reads JSON as JSON.parse does', () => {
    const text = '{"a":[1,{"b":"[[[[{{{\\"]"}],"c\\\\":"\\\\"}'
    expect(readJson(text, 3)).toEqual(JSON.parse(text))
    expect(() => readJson('{"a":')).toThrow(SyntaxError)
  })

  it('refuses what nests deeper than the limit before anything is built', () => {
    expect(readJson(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeDefined()
    expect(() => readJson(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow('deeper than 64')
    expect(() => readJson('{"a":'.repeat(5_000_000))).toThrow('deeper than 64')
  })
})

describe('findExcess', () => {
  it('names the place of what is too much', () => {
    expect(findExcess({ a: [1, { b: 1e15 }], c: 'x'.repeat(65_536), d: null, e: true })).toBeUndefined()
    expect(findExcess({ a: [1, { b: 1e20 }] })).toBe('a.1.b is no sane number')
    expect(findExcess({ b: Number.NaN })).toBe('b is no sane number')
    expect(findExcess({ c: 'x'.repeat(65_537) })).toBe('c is too long a text')
    expect(findExcess({ raw: { data: 'x'.repeat(65_537) } })).toBeUndefined()
    expect(findExcess(Array.from({ length: 409_601 }, () => 0))).toBe('it has too many items')
    expect(findExcess(Object.fromEntries(Array.from({ length: 1001 }, (_, key) => [key, 0])))).toBe('it has too many fields')
    let deep: unknown = 1
    for (let level = 0; level < 40; level += 1) deep = { deep }
    expect(findExcess(deep)).toMatch(/nests too deep$/)
  })
})
