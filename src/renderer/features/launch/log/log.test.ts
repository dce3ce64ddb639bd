/* oxlint-disable no-control-regex -- control characters are what this is about */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnsiFilter } from '../../../../shared/format/index.ts'
import { createLogJoiner } from './log-joiner.ts'
import { createOverwriter } from './overwritten.ts'

const E = '\u001b'

describe('what a log may do to the terminal', () => {
  it('keeps text, line ends and palette colours', () => {
    const filter = createAnsiFilter()
    expect(filter(`a\tb\r\n${E}[1;32mgreen${E}[0m ${E}[38;5;208mx${E}[m\n`)).toBe(
      `a\tb\r\n${E}[1;32mgreen${E}[0m ${E}[38;5;208mx${E}[0m\n`,
    )
  })

  it.each([
    ['cursor and erase', `${E}[2J${E}[1;1Hx${E}[3A`, 'x'],
    ['title', `${E}]0;owned\u0007x`, 'x'],
    ['link', `${E}]8;;javascript:alert(1)${E}\\x${E}]8;;${E}\\`, 'x'],
    ['clipboard', `${E}]52;c;aGk=\u0007x`, 'x'],
    ['device string', `${E}Pq#0;2${E}\\x`, 'x'],
    ['reset', `${E}cx`, 'x'],
    ['8-bit CSI', '\u009b2Jx', 'x'],
    ['24-bit and concealed colours', `${E}[38;2;1;2;3mx${E}[8my`, 'xy'],
    ['bell, back space, turned direction', 'a\u0007\u0008b\u202Ec', 'abc'],
  ])('drops %s', (_name, text, expected) => {
    expect(createAnsiFilter()(text)).toBe(expected)
  })

  it('gives the same whatever the pieces are', () => {
    const part = fc.constantFrom(
      'text ',
      '\n',
      `${E}[31m`,
      `${E}[2J`,
      `${E}]0;t\u0007`,
      `${E}]8;;x${E}\\`,
      `${E}c`,
      '\u009b5n',
      '·',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 6 }), (parts, cuts) => {
        const text = `${parts.join('')}.`
        const whole = createAnsiFilter()(text)
        const filter = createAnsiFilter()
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((to, index) => filter(text.slice(places[index], to)))
        expect(pieces.join('')).toBe(whole)
      }),
    )
  })

  it('lets nothing but colours through, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 60 }), (noise, text) => {
        const out = createAnsiFilter()(`${noise}${E}${text}`)
        expect(out.replace(/\u001b\[[\d;]*m/g, '')).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/)
      }),
    )
  })
})

describe('joining the readings of a log', () => {
  const lines = Array.from({ length: 400 }, (_, index) => `INFO 10-07 18:00:${String(index)} step ${String(index)}\n`).join('')

  it('shows everything once across reconnects, wherever the tail begins', () => {
    fc.assert(
      fc.property(fc.nat(lines.length), fc.nat(lines.length), fc.integer({ min: 1, max: 3000 }), (seen, back, size) => {
        const joiner = createLogJoiner()
        let shown = joiner.push(lines.slice(0, seen))
        joiner.restart()
        const from = Math.max(0, Math.min(seen - 2000, back))
        for (let at = from; at < lines.length; at += size) shown += joiner.push(lines.slice(at, at + size))
        expect(shown).toBe(lines)
      }),
    )
  })

  it('says that something may be missing when the place is not found', () => {
    const joiner = createLogJoiner('[gap]')
    joiner.push('old\n')
    joiner.restart()
    expect(joiner.push('new\n')).toBe('')
    expect(joiner.settle()).toBe('[gap]new\n')
    expect(joiner.push('more\n')).toBe('more\n')
  })
})

describe('bars that overwrite themselves', () => {
  /** A terminal of so many columns, as far as this needs one. */
  function screen(columns: number, text: string): string[] {
    const rows = ['']
    let row = 0
    let column = 0
    for (const [token] of text.matchAll(/\u001b\[(?:\d+A|J)|[^]/g)) {
      const up = /^\u001b\[(\d+)A$/.exec(token)
      if (up !== null) row = Math.max(0, row - Number(up[1]))
      else if (token === '\u001b[J') {
        rows.length = row + 1
        rows[row] = (rows[row] ?? '').slice(0, column)
      } else if (token === '\r') column = 0
      else if (token === '\n') {
        row += 1
        column = 0
        rows[row] ??= ''
      } else {
        if (column === columns) {
          row += 1
          column = 0
          rows[row] ??= ''
        }
        const line = rows[row] ?? ''
        rows[row] = line.slice(0, column) + token + line.slice(column + 1)
        column += 1
      }
    }
    return rows
  }

  it('leave one bar behind, however wide it is and wherever the pieces end', () => {
    const text = `first\nbar 0% ${'.'.repeat(30)}\rbar 50% ${'='.repeat(30)}\rbar 100% done\nlast\r\nend`
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 60 }), fc.array(fc.nat(text.length), { maxLength: 8 }), (columns, cuts) => {
        const overwrite = createOverwriter(() => columns)
        const places = [0, ...cuts.sort((a, b) => a - b), text.length]
        const out = places.slice(1).map((to, index) => overwrite(text.slice(places[index], to)))
        const wide = screen(columns, out.join(''))
        expect(wide.join('')).toBe('firstbar 100% donelastend')
      }),
    )
  })

  it('write only the newest of several states that come at once', () => {
    expect(createOverwriter(() => 80)('1%\r2%\r3%')).toBe('\r\u001b[J3%')
  })
})
