import { describe, expect, it } from 'vitest'
import type { RunRow } from '../../../shared/contract/runs.ts'
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
