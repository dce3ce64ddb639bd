import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { z } from 'zod'
import { listRunsInput, type RunOrder } from '../../../shared/contract/runs.ts'
import { createStore } from '../create-store.ts'
import { newRun } from '../spool-lines.testing.ts'
import type { Store } from '../types.ts'

let dataDir: string
let store: Store
let now = Date.parse('2026-03-01T10:00:00Z')

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-list-'))
  store = createStore({ dataDir, clock: { now: () => now } })
})
afterEach(() => {
  store.dispose()
  rmSync(dataDir, { recursive: true, force: true })
})

const plan = { contexts: [0], concurrency: [1] }
const engine = (model: string) => ({
  name: 'vllm' as const,
  servedModel: model,
  model,
  capabilities: { metrics: true, tokenize: true },
})
function make(id: string, change: Parameters<typeof newRun>[2] = {}): void {
  now += 1000
  store.runs.create(newRun(id, plan, change))
}
const page = (query: z.input<typeof listRunsInput>) => {
  const { rows, ...counts } = store.runs.page(listRunsInput.parse(query))
  return { ids: rows.map(({ id }) => id), ...counts }
}

test('goes on after any run, runs of the same moment included, none twice and none left out', () => {
  for (let at = 0; at < 25; at += 1) {
    // Every third has the moment of the one before.
    if (at % 3 !== 2) now += 1000
    store.runs.create(newRun(`r${String(at).padStart(2, '0')}`, plan))
  }
  const seen: string[] = []
  for (let before: string | undefined; ; before = seen.at(-1)) {
    const piece = store.runs.list({ limit: 4, ...(before === undefined ? {} : { before }) })
    if (piece.length === 0) break
    seen.push(...piece.map(({ id }) => id))
  }
  expect(seen).toEqual(store.runs.list().map(({ id }) => id))
  expect(seen).toHaveLength(25)
  expect(page({ offset: 3, limit: 5 })).toEqual({ ids: seen.slice(3, 8), matching: 25, all: 25 })
})

test('joins the values of one filter by or, different ones by and; every word wherever it stands, in any case', () => {
  make('a', { name: 'Nachtlauf ÄÖ', host: { name: 'lab-1' }, tags: ['nightly', 'mtp'], engine: engine('Qwen/Qwen3.5-27B') })
  make('b', { host: { name: 'lab-2' }, tags: ['nightly'], engine: engine('openai/gpt-oss') })
  make('c', { host: { name: 'lab-1' }, demo: true })
  store.runs.setNote('b', 'After the driver update')
  store.runs.setState('c', 'failed')
  expect(page({ search: 'QWEN nightly' }).ids).toEqual(['a'])
  expect(page({ search: 'driver lab-2' }).ids).toEqual(['b'])
  expect(page({ search: 'demo' }).ids).toEqual(['c'])
  expect(page({ search: 'äö' }).ids).toEqual(['a'])
  expect(page({ search: 'qwen driver' })).toEqual({ ids: [], matching: 0, all: 3 })
  // A word doesn't begin in one field and end in the next.
  expect(page({ search: 'alab-1' }).ids).toEqual([])
  expect(page({ hosts: ['lab-1', 'lab-2'] }).ids).toEqual(['c', 'b', 'a'])
  expect(page({ hosts: ['lab-1'], states: ['failed'] }).ids).toEqual(['c'])
  expect(page({ tags: ['mtp', 'x'] }).ids).toEqual(['a'])
  expect(page({ models: ['openai/gpt-oss'] }).ids).toEqual(['b'])
  expect(store.runs.choices(false)).toEqual({
    hosts: [
      { value: 'lab-1', count: 2 },
      { value: 'lab-2', count: 1 },
    ],
    models: [
      { value: 'Qwen/Qwen3.5-27B', count: 1 },
      { value: 'openai/gpt-oss', count: 1 },
    ],
    states: [
      { value: 'planned', count: 2 },
      { value: 'failed', count: 1 },
    ],
    tags: [
      { value: 'nightly', count: 2 },
      { value: 'mtp', count: 1 },
    ],
  })
  store.runs.setTrashed('a', true)
  expect(store.runs.choices(true).tags.map(({ value }) => value)).toEqual(['mtp', 'nightly'])
  expect(page({ trashed: true })).toEqual({ ids: ['a'], matching: 1, all: 1 })
})

test('sorts by any column both ways, numbers in names as numbers', () => {
  make('a', { name: 'run 10', tags: ['z'] })
  make('b', { name: 'Run 9' })
  make('c', { name: 'run 100', tags: ['B'] })
  const order = (by: RunOrder, isDescending: boolean) => page({ order: by, isDescending }).ids.join('')
  expect(order('name', false)).toBe('bac')
  expect(order('name', true)).toBe('cab')
  expect(order('started', true)).toBe('cba')
  expect(order('started', false)).toBe('abc')
  expect(order('tags', false)).toBe('bca')
  for (const by of ['state', 'model', 'host', 'cells', 'took', 'note'] as const) expect(order(by, true)).toBe('cba')
})

test('no question about the list reads whole rows of a long history', () => {
  make('a')
  store.dispose()
  const file = new DatabaseSync(join(dataDir, 'history.db'))
  const planOf = (sql: string, ...values: string[]) =>
    file
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map((row) => String(row['detail']))
      .join('; ')
  expect(planOf('SELECT count(*) FROM runs WHERE trashed_at IS NULL')).toMatch(/COVERING INDEX/)
  expect(planOf('SELECT id FROM runs WHERE id >= ? AND id < ? || char(0x10ffff)', 'a', 'a')).toMatch(/SEARCH .*id>\? AND id<\?/)
  expect(planOf('SELECT plan FROM runs WHERE name = ?', 'a')).toMatch(/SEARCH .*runs_by_name/)
  expect(planOf('SELECT id, location FROM runs WHERE location IS NOT NULL ORDER BY created_at')).toMatch(/runs_with_driver/)
  file.close()
  store = createStore({ dataDir })
})

test('a run that nobody reads is told as such in every list', () => {
  make('a')
  store.runs.setState('a', 'running')
  expect(store.runs.list()[0]?.unwatched).toEqual({})
  expect(store.runs.page(listRunsInput.parse({})).rows[0]?.unwatched).toEqual({})
  store.runs.takeLease('a')
  expect(store.runs.page(listRunsInput.parse({})).rows[0]?.unwatched).toBeUndefined()
})
