import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createStore } from '../store/index.ts'
import { attemptEntry, hello, newRun, prefillEntry, spoolLines } from '../store/spool-lines.testing.ts'
import { readProgress } from './make-job.ts'

test('what link or server broke off is measured again, and its deaths are counted over all drivers', (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-job-'))
  const store = createStore({ dataDir })
  context.onTestFinished(() => {
    store.dispose()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const broken = (cutBy: 'server_gone' | 'link_lost', attempt: number) =>
    attemptEntry(0, 4, { status: 'cancelled', cutBy, attempt }, {})
  store.runs.create(newRun('r1', { contexts: [0], concurrency: [1, 4, 8], prefillContexts: [512, 2048] }))
  store.runs.appendLines(
    'r1',
    spoolLines([
      hello('r1'),
      prefillEntry(2048, { status: 'cancelled', cutBy: 'server_gone', samples: [] }),
      prefillEntry(512),
      attemptEntry(0, 1),
      broken('link_lost', 1),
      broken('server_gone', 2),
      attemptEntry(0, 8, { status: 'error', cutBy: 'server_gone', attempt: 2 }, {}),
      { kind: 'end', state: 'interrupted' },
    ]),
  )
  expect(store.runs.find('r1')).toMatchObject({ state: 'interrupted', cellsDone: 2 })
  const progress = readProgress(store.runs, 'r1')
  expect(progress.done.cells.map((cell) => cell.concurrency)).toEqual([1, 8])
  expect(progress.done.prefills).toEqual([{ contextTokens: 512 }])
  expect(progress.attempts.map(({ concurrency, attempts, deaths }) => [concurrency, attempts, deaths])).toEqual([
    [1, 1, 0],
    [4, 2, 1],
    [8, 2, 1],
  ])
  expect(progress.prefillDeaths).toEqual([{ contextTokens: 2048, deaths: 1 }])
})
