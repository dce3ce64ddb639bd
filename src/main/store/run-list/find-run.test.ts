import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createStore } from '../create-store.ts'
import { attemptEntry, hello, newRun, spoolLines } from '../spool-lines.testing.ts'
import type { Store } from '../types.ts'

const plan = { contexts: [0, 'max' as const], concurrency: [1, 8] }
let dataDir: string
let store: Store
let now = Date.parse('2026-03-01T10:00:00Z')

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-find-'))
  store = createStore({ dataDir, clock: { now: () => (now += 1000) } })
  store.runs.create(newRun('ab12cd', plan, { name: 'night', tags: ['driver-570', 'ci'] }))
  store.runs.create(newRun('ab99ff', plan, { name: '100% load', host: { name: 'h200' } }))
  store.runs.create(newRun('cc0000', plan, { name: 'night' }))
})
afterEach(() => {
  store.dispose()
  rmSync(dataDir, { recursive: true, force: true })
})
const ids = (search?: string) => store.runs.list({ search }).map((run) => run.id)

test('finds by id, prefix, name and last', () => {
  expect(store.runs.find('ab12cd').id).toBe('ab12cd')
  expect(store.runs.find('ab9').id).toBe('ab99ff')
  expect(store.runs.find('100% load').id).toBe('ab99ff')
  expect(store.runs.find('last').id).toBe('cc0000')
  store.runs.setTrashed('cc0000', true)
  expect(store.runs.find('last').id).toBe('ab99ff')
  expect(store.runs.find('night').id).toBe('ab12cd')
  expect(store.runs.find('cc0000').trashed).toBe(true)
})

test('says what is near when nothing or too much is found', () => {
  expect(() => store.runs.find('night')).toThrow('2 runs are named')
  expect(() => store.runs.find('ab')).toThrow('2 runs have an id')
  expect(() => store.runs.find('')).toThrow('no run')
  try {
    store.runs.find('load')
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({ code: 'not_found', evidence: [expect.stringContaining('ab99ff')] })
  }
})

test('searches names, hosts, tags and notes, taking % and _ as they are', () => {
  expect(ids()).toEqual(['cc0000', 'ab99ff', 'ab12cd'])
  expect(ids('NIGHT ci')).toEqual(['ab12cd'])
  expect(ids('h200')).toEqual(['ab99ff'])
  expect(ids('100%')).toEqual(['ab99ff'])
  expect(ids('_')).toEqual([])
  store.runs.setNote('cc0000', 'warm room')
  expect(ids('warm')).toEqual(['cc0000'])
  store.runs.setTags('cc0000', ['x', 'y', 'x'])
  expect(store.runs.find('cc0000')).toMatchObject({ tags: ['x', 'y'], note: 'warm room' })
  store.runs.setNote('cc0000', '')
  store.runs.rename('cc0000', 'day')
  expect(ids('warm')).toEqual([])
  expect(store.runs.find('day').note).toBeUndefined()
})

test('trash hides, restore brings back', () => {
  store.runs.setTrashed('ab12cd', true)
  expect(ids()).toEqual(['cc0000', 'ab99ff'])
  expect(store.runs.list({ trashed: true }).map((run) => run.id)).toEqual(['ab12cd'])
  store.runs.setTrashed('ab12cd', false)
  expect(ids()).toContain('ab12cd')
})

test('counts cells that are done, and refuses to drop a run that has begun', () => {
  store.runs.appendLines('ab12cd', spoolLines([hello('ab12cd'), attemptEntry(0, 1), attemptEntry(0, 8, { status: 'cancelled' })]))
  expect(store.runs.find('ab12cd')).toMatchObject({ cellsDone: 1, cellsTotal: 4 })
  expect(() => store.runs.discard('ab12cd')).toThrow('has begun')
  store.runs.discard('ab99ff')
  expect(() => store.runs.find('ab99ff')).toThrow()
})
