import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SpoolEntry } from '../../shared/model/spool.ts'
import { createStore } from './create-store.ts'
import { attemptEntry, hello, newRun, plannedEntry, prefillEntry, spoolLines } from './spool-lines.testing.ts'
import type { Store } from './types.ts'

let folder: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'speedgrid-undone-'))
  store = createStore({ dataDir: folder })
  store.runs.create(newRun('r1', { contexts: [0, 2048], concurrency: [1, 8] }))
})
afterEach(() => {
  store.dispose()
  rmSync(folder, { recursive: true, force: true })
})

const begin: SpoolEntry[] = [
  hello('r1'),
  { kind: 'state', state: 'preparing' },
  plannedEntry([0, 2048], [1, 8]),
  { kind: 'state', state: 'running' },
]
const end: SpoolEntry = { kind: 'end', state: 'finished' }
const cells = [attemptEntry(0, 1), attemptEntry(0, 8), attemptEntry(2048, 1), attemptEntry(2048, 8)]

function stateAfter(entries: SpoolEntry[]) {
  store.runs.appendLines('r1', spoolLines(entries))
  const { state, reason, events } = store.runs.document('r1')
  return { state, reason, said: events.at(-1)?.text }
}

test('a run is finished when each of its cells and prefills has a result', () => {
  expect(stateAfter([...begin, prefillEntry(2048), ...cells, end])).toMatchObject({ state: 'finished' })
})

test('a cell that is skipped, over capacity or in error has its result', () => {
  const cell = { contextTokens: 2048, repeat: 1 }
  const others: SpoolEntry[] = [
    { kind: 'settled', ...cell, concurrency: 1, status: 'skipped', reason: 'skipped by the person' },
    { kind: 'settled', ...cell, concurrency: 8, status: 'over_capacity', reason: 'too large' },
  ]
  const entries = [...begin, prefillEntry(2048), attemptEntry(0, 1), attemptEntry(0, 8, { status: 'error' }), ...others, end]
  expect(stateAfter(entries)).toMatchObject({ state: 'finished' })
})

test('cells whose outcome never arrived make it interrupted, whatever its driver says', () => {
  const found = stateAfter([...begin, prefillEntry(2048), ...cells.slice(0, 2), end])
  expect(found).toEqual({
    state: 'interrupted',
    reason: '2 of 4 cells have no result here',
    said: 'The driver said that it has finished, but 2 of 4 cells have no result here',
  })
  const rows = store.runs.document('r1').cells
  expect(rows.map((row) => row.status)).toEqual(['valid', 'valid', 'pending', 'pending'])
})

test('so do a lost prefill, a try that was broken off, and a plan that never arrived', () => {
  expect(stateAfter([...begin, ...cells, end]).reason).toBe('1 of 1 prefills have no result here')
  const cut = attemptEntry(2048, 8, { status: 'cancelled' })
  store.runs.create(newRun('r2', { contexts: [0, 2048], concurrency: [1, 8], repeats: 2 }))
  store.runs.appendLines('r2', spoolLines([...begin, prefillEntry(2048), ...cells.slice(0, 3), cut, end]))
  expect(store.runs.document('r2').reason).toBe('1 of 4 cells have no result here')
  store.runs.create(newRun('r3', { contexts: [0, 2048], concurrency: [1, 8], repeats: 2, prefillContexts: [] }))
  store.runs.appendLines('r3', spoolLines([hello('r3'), ...cells, end]))
  expect(store.runs.document('r3')).toMatchObject({ state: 'interrupted', reason: '4 of 8 cells have no result here' })
})
