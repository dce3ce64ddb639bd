import { describe, expect, it } from 'vitest'
import type { RunRow } from '../../../shared/contract/runs.ts'
import { choicesOf, filterRuns, isFiltered, NO_FILTER } from './filter-runs.ts'
import { runsAsMarkdown, runsAsTsv, tookSeconds } from './run-texts.ts'

const run = (id: string, more: Partial<RunRow> = {}): RunRow => ({
  id,
  name: `Run ${id}`,
  state: 'finished',
  demo: false,
  createdAt: '2026-10-07T18:00:00.000Z',
  tags: [],
  cellsDone: 12,
  cellsTotal: 12,
  trashed: false,
  ...more,
})
const RUNS = [
  run('a', { model: 'Qwen/Qwen3.5-27B', host: 'lab-1', tags: ['nightly', 'mtp'] }),
  run('b', { model: 'openai/gpt-oss', host: 'lab-2', tags: ['nightly'], note: 'After the driver update' }),
  run('c', { state: 'failed', host: 'lab-1', demo: true }),
]
const found = (filter: Partial<typeof NO_FILTER>) => filterRuns(RUNS, { ...NO_FILTER, ...filter }).map((it) => it.id)

describe('finding runs', () => {
  it('takes every word wherever it stands, in any case', () => {
    expect(found({ search: 'QWEN nightly' })).toEqual(['a'])
    expect(found({ search: 'driver lab-2' })).toEqual(['b'])
    expect(found({ search: 'demo' })).toEqual(['c'])
    expect(found({ search: 'qwen driver' })).toEqual([])
    expect(found({ search: '  ' })).toEqual(['a', 'b', 'c'])
  })

  it('doesn’t find a word that begins in one field and ends in the next', () => {
    expect(found({ search: 'alab-1' })).toEqual([])
  })

  it('joins the values of one filter by or, different ones by and', () => {
    expect(found({ hosts: ['lab-1', 'lab-2'] })).toEqual(['a', 'b', 'c'])
    expect(found({ hosts: ['lab-1'], states: ['finished'] })).toEqual(['a'])
    expect(found({ tags: ['mtp'] })).toEqual(['a'])
    expect(found({ models: ['openai/gpt-oss'] })).toEqual(['b'])
    expect(isFiltered({ ...NO_FILTER, tags: ['x'] })).toBe(true)
    expect(isFiltered({ ...NO_FILTER, search: ' ' })).toBe(false)
  })

  it('offers what there is, the most frequent first', () => {
    expect(choicesOf(RUNS, (it) => it.tags)).toEqual([
      { value: 'nightly', count: 2 },
      { value: 'mtp', count: 1 },
    ])
  })
})

describe('copying runs', () => {
  const evil = run('d', {
    name: '=cmd|x',
    note: 'a|b\n<b>',
    startedAt: '2026-10-07T18:00:00.000Z',
    finishedAt: '2026-10-07T18:01:05.000Z',
  })

  it('escapes what would be markup, and what would be a formula', () => {
    const markdown = runsAsMarkdown([evil])
    expect(markdown.split('\n')).toHaveLength(3)
    expect(markdown).toContain('=cmd\\|x')
    expect(markdown).toContain('a\\|b &lt;b&gt;')
    expect(runsAsTsv([evil]).split('\n')[1]).toMatch(
      /^'=cmd\|x\tFinished\t—\t—\t12 of 12\t\t2026-10-07 18:00 UTC\t1 min 05 s\ta\|b <b>$/,
    )
  })

  it('knows no duration of a run that is going on', () => {
    expect(tookSeconds(evil)).toBe(65)
    expect(tookSeconds(run('e', { startedAt: '2026-10-07T18:00:00.000Z' }))).toBeUndefined()
  })
})
