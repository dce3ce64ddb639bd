import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gridLines } from '../src/main/cli/live/grid.ts'
import { createStyle } from '../src/main/cli/live/style.ts'
import { summaryText } from '../src/main/cli/sweep/summary.ts'
import { createFakeClock } from '../src/main/driver/run/test-clock.ts'
import { createFakeServer } from '../src/main/driver/run/test-fake-server.ts'
import { runFakeJob } from '../src/main/driver/run/test-run.ts'
import { createStore } from '../src/main/store/index.ts'
import { attemptEntry, hello, newRun, plannedEntry, prefillEntry, spoolLines } from '../src/main/store/spool-lines.testing.ts'
import { applySweepChange, sweepStateOf } from '../src/renderer/features/sweep/state/sweep-state.ts'
import { feedOfDocument } from '../src/renderer/features/history/run/run-feed.ts'
import type { PlanInput } from '../src/shared/model/plan.ts'
import type { SpoolEntry } from '../src/shared/model/spool.ts'
import { applyLine, cellKey } from '../src/shared/run/index.ts'

const style = createStyle(false)
const rate = (totalTokensPerSecond: number) => ({ totalTokensPerSecond, ttftMs: 100, outputTokens: 50, windowSeconds: 30 })
const facts = (more: object = {}): SpoolEntry => ({
  kind: 'facts',
  facts: { name: 'vllm', servedModel: 'q', capabilities: { metrics: true, tokenize: true }, ...more },
})
const state = (to: 'preparing' | 'running' | 'paused'): SpoolEntry => ({ kind: 'state', state: to })
const phase = (concurrency: number, repeat: number): SpoolEntry => ({
  kind: 'cell',
  contextTokens: 0,
  concurrency,
  repeat,
  attempt: 1,
  phase: 'window',
})
const settled = (concurrency: number, repeat: number, status: 'skipped' | 'cancelled' | 'over_capacity'): SpoolEntry => ({
  kind: 'settled',
  contextTokens: 0,
  concurrency,
  repeat,
  status,
  reason: `${status} here`,
})
const BEGIN = [hello('r1'), state('preparing'), facts({ model: 'Qwen/Q', maxModelLen: 9000 })]

interface Story {
  plan: PlanInput
  entries: SpoolEntry[]
}
const STORIES: Record<string, Story> = {
  'two repeats: the figure is their median, and a cell is done with both': {
    plan: { contexts: [0], concurrency: [1], repeats: 2 },
    entries: [
      ...BEGIN,
      plannedEntry([0], [1], 2),
      state('running'),
      phase(1, 1),
      attemptEntry(0, 1, { repeat: 1 }, rate(100)),
      phase(1, 2),
      attemptEntry(0, 1, { repeat: 2 }, rate(200)),
      { kind: 'end', state: 'finished' },
    ],
  },
  'stopped after one repeat of two: the valid one stays': {
    plan: { contexts: [0], concurrency: [1, 8], repeats: 2 },
    entries: [
      ...BEGIN,
      plannedEntry([0], [1, 8], 2),
      state('running'),
      attemptEntry(0, 1, { repeat: 1 }, rate(100)),
      attemptEntry(0, 1, { repeat: 2, status: 'cancelled', reason: 'stopped', discarded: rate(90) }, {}),
      settled(8, 1, 'cancelled'),
      settled(8, 2, 'cancelled'),
      { kind: 'end', state: 'stopped', reason: 'by the person' },
    ],
  },
  'errors, loops, skips, a cell over capacity, and a cell that is measured again': {
    plan: { contexts: [0], concurrency: [1, 2, 4, 8, 16] },
    entries: [
      ...BEGIN,
      {
        ...(plannedEntry([0], [1, 2, 4, 8]) as Extract<SpoolEntry, { kind: 'planned' }>),
        cells: [1, 2, 4, 8, 16].map((concurrency) => ({
          contextTokens: 0,
          concurrency,
          repeat: 1,
          verdict: concurrency === 16 ? 'over_capacity' : 'run',
        })),
      },
      settled(16, 1, 'over_capacity'),
      state('running'),
      attemptEntry(0, 1, { status: 'error', reason: 'HTTP 500' }, {}),
      attemptEntry(0, 2, { status: 'looped', reason: 'repeats itself', discarded: rate(70) }, {}),
      settled(4, 1, 'skipped'),
      state('paused'),
      state('running'),
      attemptEntry(0, 8, { flags: [{ flag: 'drifting', detail: 'd' }] }, rate(500)),
      attemptEntry(0, 1, { attempt: 2 }, rate(50)),
      attemptEntry(0, 8, { attempt: 2, status: 'cancelled', reason: 'stopped' }, {}),
      { kind: 'end', state: 'finished' },
    ],
  },
  'a dead server, a second driver that goes on, max that is no context of its own, an end in error': {
    plan: { contexts: [0, 4096, 'max'], concurrency: [1, 8], prefillContexts: [4096] },
    entries: [
      hello('r1'),
      state('preparing'),
      facts({ maxModelLen: 9000 }),
      plannedEntry([0, 4096], [1, 8]),
      state('running'),
      prefillEntry(4096, { status: 'cancelled', cutBy: 'server_gone', reason: 'the server is gone' }),
      attemptEntry(0, 1, {}, rate(80)),
      attemptEntry(0, 8, { status: 'cancelled', cutBy: 'server_gone', reason: 'the server is gone' }, {}),
      { kind: 'end', state: 'interrupted', reason: 'the server is gone' },
      hello('r1', 2),
      state('preparing'),
      facts({ speculative: true }),
      plannedEntry([0, 4096], [1, 8]),
      state('running'),
      prefillEntry(4096),
      attemptEntry(0, 8, { attempt: 2 }, rate(300)),
      attemptEntry(4096, 1, { status: 'error', reason: 'HTTP 500', logLines: ['out of memory'] }, {}),
      { kind: 'end', state: 'failed', error: { code: 'server_gone', cause: 'the server died', evidence: [] } },
    ],
  },
  'a driver that says it has finished, and has not': {
    plan: { contexts: [0], concurrency: [1, 8] },
    entries: [...BEGIN, plannedEntry([0], [1, 8]), state('running'), attemptEntry(0, 1), { kind: 'end', state: 'finished' }],
  },
}

/** Tells the lines to everybody and compares after each. Returns what the last document and the last view show. */
function tellAll(plan: PlanInput, entries: SpoolEntry[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-fronts-'))
  const store = createStore({ dataDir })
  onTestFinished(() => {
    store.dispose()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const { runs } = store
  runs.create(newRun('r1', plan))
  // Who has watched from the first line on: the engine and the terminal; and a page that hears only of changes.
  let watched = runs.sweep('r1', { link: 'reading' })
  let page = sweepStateOf(watched.view)

  for (const line of spoolLines(entries)) {
    const after = `after line ${String(line.n)} (${line.kind})`
    runs.appendLines('r1', [line])
    const step = applyLine(watched, line)
    watched = step.model
    page = step.reset ? sweepStateOf(step.model.view) : applySweepChange(page, step.change)

    const document = runs.document('r1')
    const row = runs.find('r1')
    const joined = runs.sweep('r1', { link: 'reading' }).view
    const history = feedOfDocument(document, row).getState().value
    for (const view of [watched.view, joined]) {
      expect(view.cells, after).toEqual(document.cells)
      expect(view.prefill, after).toEqual(document.prefill)
      expect([view.state, view.reason, view.finishedAt], after).toEqual([document.state, document.reason, document.finishedAt])
      expect([view.doneCells, view.totalCells], after).toEqual([row.cellsDone, row.cellsTotal])
      expect([view.model, view.demo, view.startedAt], after).toEqual([row.model, row.demo, row.startedAt])
    }
    for (const [name, shown] of Object.entries({ page, history })) {
      for (const cell of document.cells) expect(shown?.cells.get(cellKeyOfPage(cell)), `${name} ${after}`).toEqual(cell)
      expect([shown?.head.doneCells, shown?.head.totalCells], `${name} ${after}`).toEqual([row.cellsDone, row.cellsTotal])
    }
    // The terminal: the grid drawn in place is the one that is printed at the end.
    const space = { columns: 100, lines: 40 }
    const { live: _now, ...still } = watched.view
    const printed = summaryText(document, { columns: 100, style }).split('\n')
    if (printed.some((text) => text.includes('requests at once'))) {
      for (const text of gridLines(still, space, style)) expect(printed, after).toContain(text)
    }
  }
  expect(new Set(watched.view.cells.map(cellKey)).size).toBe(watched.view.totalCells)
  return { document: runs.document('r1'), view: watched.view }
}

const cellKeyOfPage = (cell: { contextTokens: number; concurrency: number }) =>
  `${String(cell.contextTokens)}x${String(cell.concurrency)}`

test.each(Object.entries(STORIES))('every front shows the same run after every line: %s', (_name, { plan, entries }) => {
  tellAll(plan, entries)
})

test('two repeats of 100 and 200 tok/s are 150, on the terminal while it runs as in the document', () => {
  const { plan, entries } = Object.values(STORIES)[0] as Story
  const { view } = tellAll(plan, entries.slice(0, -1))
  expect(gridLines(view, { columns: 80, lines: 20 }, style).join('\n')).toContain('150.0')
})

test.each(['finished', 'stopped'] as const)('what the driver itself writes of two repeats, %s', async (ending) => {
  const plan = { contexts: [0, 512], concurrency: [1, 4], repeats: 2, seconds: 5, maxOutputTokens: 200, prefillContexts: [512] }
  const clock = createFakeClock()
  const server = createFakeServer(clock)
  let ended = 0
  const { lines } = await runFakeJob(clock, server, plan, {
    onLine: (line, commands) => {
      if (line.kind !== 'attempt') return
      ended += 1
      // Each try has a speed of its own.
      server.gapMs = 50 + 10 * ended
      if (ending === 'stopped' && ended === 5) commands.take({ kind: 'stop' })
      if (ended === 2) commands.take({ kind: 'skip', contextTokens: 512, concurrency: 4 })
    },
  })
  const { document, view } = tellAll(plan, [hello('r1'), ...lines, { kind: 'end', state: ending }])
  expect(document.state).toBe(ending)
  const statuses = document.cells.map((cell) => cell.status)
  expect(statuses).toContain('skipped')
  expect(document.cells[0]).toMatchObject({ status: 'valid', repeats: 2 })
  // Stopped in the second round: one cell has both repeats, one was skipped; the others have one of two.
  expect(view.doneCells).toBe(ending === 'finished' ? 4 : 2)
})
