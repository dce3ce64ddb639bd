import { describe, expect, it } from 'vitest'
import { findMachine, MACHINE_NAMES, MACHINES } from './index.ts'

const count = (name: string, status: string) => findMachine(name)?.cells.filter((cell) => cell.status === status).length

describe('published machines', () => {
  it('are three, found by name', () => {
    expect(MACHINE_NAMES).toEqual(['rtx-pro-6000', '4x-rtx-pro-6000', 'h200'])
    expect(findMachine('h100')).toBeUndefined()
  })

  it.each(MACHINES)('$name has all 48 cells and 7 prefill rows, each with its figures', (machine) => {
    expect(machine.cells).toHaveLength(48)
    expect(new Set(machine.cells.map((cell) => `${cell.contextTokens}/${cell.concurrency}`)).size).toBe(48)
    expect(machine.prefill.map((row) => row.contextTokens)).toEqual([8192, 16_384, 32_768, 65_536, 131_072, 257_024, 262_144])
    for (const cell of machine.cells) {
      const figures = [cell.totalTokensPerSecond, cell.perRequestTokensPerSecond, cell.ttftMs, cell.timeBetweenTokensMs]
      const expected = cell.status === 'valid' ? 'number' : 'undefined'
      expect(figures.map((figure) => typeof figure)).toEqual([expected, expected, expected, expected])
    }
  })

  it.each([
    ['rtx-pro-6000', 28, 14, 6],
    ['4x-rtx-pro-6000', 28, 0, 20],
    ['h200', 42, 0, 6],
  ])('%s has the published statuses', (name, valid, looped, over) => {
    expect([count(name, 'valid'), count(name, 'looped'), count(name, 'over_capacity')]).toEqual([valid, looped, over])
  })

  it.each(MACHINES)('$name: the KV capacity gives exactly the published over-capacity cells', (machine) => {
    for (const cell of machine.cells) {
      const over = cell.concurrency * (cell.contextTokens + 4096) > machine.kvTokens
      expect(over, `${cell.contextTokens} × ${cell.concurrency}`).toBe(cell.status === 'over_capacity')
    }
  })

  it('carries figures of the pages, abbreviated rates in full', () => {
    const cell = findMachine('h200')?.cells.find((entry) => entry.contextTokens === 8192 && entry.concurrency === 128)
    expect(cell).toMatchObject({
      totalTokensPerSecond: 15_186,
      perRequestTokensPerSecond: 115.5,
      ttftMs: 732,
      timeBetweenTokensMs: 8.7,
    })
    expect(findMachine('rtx-pro-6000')?.prefill[3]).toEqual({ contextTokens: 65_536, tokensPerSecond: 54_900, ttftMs: 1173 })
  })
})
