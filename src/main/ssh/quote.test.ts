import { execFileSync, spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteArgv, quoteWord } from '../../shared/command/quote.ts'
import { commandLine } from './quote.ts'

const word = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    "'",
    '"',
    '\\',
    '$HOME',
    '`id`',
    '!x',
    '\n',
    'a\n',
    '-n',
    '~',
    '*',
    '%s',
    '\\0101',
    '#',
    'if',
    '{',
    '=',
    'a=b',
    "'\\''",
  ),
)
const words = fc
  .array(word, { maxLength: 6 })
  .map((list) => list.map((text) => text.replaceAll('\0', '')))
  .map((list) => list.map((text) => Buffer.from(text, 'utf8').toString('utf8')))

const SHELLS = ['sh', 'bash', 'fish', 'csh', 'tcsh', 'zsh', 'ksh', 'dash'].filter(
  (shell) => spawnSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' }).status === 0,
)

function said(shell: string, line: string): string[] {
  return execFileSync(shell, ['-c', line]).toString('utf8').split('\0').slice(0, -1)
}

describe('quoting', () => {
  it('finds at least a POSIX shell to test against', () => {
    expect(SHELLS).toContain('sh')
  })

  it('gives sh exactly the words of the list', () => {
    fc.assert(
      fc.property(words, (list) => {
        expect(said('sh', quoteArgv(['printf', '%s\\0', 'first', ...list]))).toEqual(['first', ...list])
      }),
      { numRuns: 60 },
    )
  })

  for (const shell of SHELLS) {
    it(`reaches the command unchanged through the login shell ${shell}`, () => {
      fc.assert(
        fc.property(words, (list) => {
          expect(said(shell, commandLine(['printf', '%s\\0', 'first', ...list]))).toEqual(['first', ...list])
        }),
        { numRuns: 25 },
      )
    })
  }

  it('keeps plain commands readable in ps', () => {
    expect(commandLine(['uname', '-s'])).toBe("exec /bin/sh -c 'uname -s'")
  })

  it('holds nothing in the outer line that fish or csh would read as theirs', () => {
    fc.assert(
      fc.property(words, (list) => {
        const inner = commandLine(['x', ...list]).slice("exec /bin/sh -c '".length, -1)
        expect(inner).not.toMatch(/['!\n\r^]/)
        expect(inner.replaceAll(/\\0[0-7]{3}/g, '')).not.toContain('\\')
      }),
    )
  })

  it('runs a first word that is shell grammar as a command', () => {
    const result = spawnSync('sh', ['-c', quoteArgv(['if', 'true'])])
    expect(result.status).toBe(127)
  })

  it('refuses what no argument can hold', () => {
    expect(() => quoteWord('a\0b')).toThrow(/NUL/)
    expect(() => quoteArgv([])).toThrow(/empty/i)
  })
})
