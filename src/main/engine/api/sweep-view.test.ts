import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SweepView } from '../../../shared/contract/sweeps.ts'
import type { SpoolEntry, SpoolLine } from '../../../shared/model/spool.ts'
import { applyChange, applyLine, mergeChanges, RATES_KEPT, type SweepModel, weighChange } from '../../../shared/run/index.ts'
import { createStore, type Store } from '../../store/index.ts'
import { attemptEntry, hello, newRun, plannedEntry, prefillEntry, spoolLines, START_MS } from '../../store/spool-lines.testing.ts'

let dataDir: string
let store: Store
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-view-'))
  store = createStore({ dataDir })
})
afterEach(() => {
  store.dispose()
  rmSync(dataDir, { recursive: true, force: true })
})

const capabilities = { metrics: true, tokenize: true }
const facts: SpoolEntry = {
  kind: 'facts',
  facts: { name: 'vllm', servedModel: 'q', model: 'Qwen/Q', maxModelLen: 9000, capabilities },
}
const cell = (phase: 'scout' | 'window' | 'done', contextTokens = 0, concurrency = 1): SpoolEntry => ({
  kind: 'cell',
  contextTokens,
  concurrency,
  repeat: 1,
  attempt: 1,
  phase,
})
const live = (tokensPerSecond: number): SpoolEntry => ({
  kind: 'live',
  contextTokens: 0,
  concurrency: 1,
  phase: 'window',
  tokensPerSecond,
  activeStreams: 1,
  windowSeconds: 3,
  outputTokens: 90,
})
const sample = (running: number): SpoolEntry => ({ kind: 'sample', metrics: { running } })

/** A run with everything that can happen: max resolved, a cell over capacity, one that loops, one skipped, a resume, an end. */
const WHOLE: SpoolEntry[] = [
  hello('r1'),
  { kind: 'state', state: 'preparing' },
  facts,
  {
    ...(plannedEntry([0, 4096], [1, 8]) as Extract<SpoolEntry, { kind: 'planned' }>),
    cells: [
      { contextTokens: 0, concurrency: 1, repeat: 1, verdict: 'run' },
      { contextTokens: 0, concurrency: 8, repeat: 1, verdict: 'run' },
      { contextTokens: 4096, concurrency: 1, repeat: 1, verdict: 'run' },
      {
        contextTokens: 4096,
        concurrency: 8,
        repeat: 1,
        verdict: 'over_capacity',
        reason: 'needs more',
        neededTokens: 9,
        kvTokens: 8,
      },
    ],
  },
  { kind: 'state', state: 'running' },
  prefillEntry(4096),
  sample(0),
  cell('scout'),
  cell('window'),
  live(30),
  sample(1),
  live(32),
  { kind: 'beat', doneCells: 0, totalCells: 4, remainingSeconds: 40 },
  attemptEntry(0, 1),
  cell('done'),
  cell('window', 0, 8),
  attemptEntry(
    0,
    8,
    { status: 'looped', reason: 'stream 2 repeats', discarded: { totalTokensPerSecond: 5, outputTokens: 50 } },
    {},
  ),
  { kind: 'event', level: 'warn', text: 'something odd' },
  { kind: 'settled', contextTokens: 4096, concurrency: 1, repeat: 1, status: 'skipped', reason: 'by the person' },
  { kind: 'end', state: 'interrupted', reason: 'the person asked' },
  hello('r1', 2),
  { kind: 'state', state: 'preparing' },
  facts,
  { kind: 'state', state: 'running' },
  cell('window', 4096, 1),
  attemptEntry(4096, 1, { attempt: 1 }, { totalTokensPerSecond: 70, outputTokens: 7 }),
  { kind: 'end', state: 'failed', error: { code: 'server_gone', cause: 'the server died', evidence: ['exit 1'] } },
]
const plan = { contexts: [0, 'max' as const], concurrency: [1, 8] }
const seed = (id = 'r1') => store.runs.sweep(id, { link: 'reading' })
/** What a reload must show; how many rates were seen and what the driver promised come with its next beat. */
function comparable({ live: now, remainingSeconds: _rest, ...view }: SweepView) {
  return { ...view, live: now && { contextTokens: now.contextTokens, concurrency: now.concurrency, phase: now.phase } }
}

test('whenever somebody joins, the view is the one of those who saw it all', () => {
  store.runs.create(newRun('r1', plan))
  let model: SweepModel = seed()
  for (const line of spoolLines(WHOLE)) {
    store.runs.appendLines('r1', [line])
    model = applyLine(model, line).model
    const joined = seed()
    // A rate moves nothing that is stored: the phase it is in was.
    if (line.kind === 'live') continue
    expect(comparable(joined.view), `after line ${String(line.n)} (${line.kind})`).toEqual(comparable(model.view))
  }
  expect(model.view).toMatchObject({
    state: 'failed',
    reason: 'the server died',
    error: { code: 'server_gone', evidence: ['exit 1'] },
    model: 'Qwen/Q',
    place: 'host',
    contexts: [0, 4096],
    doneCells: 4,
  })
  expect(model.view.cells.map((row) => `${String(row.contextTokens)} ${String(row.concurrency)} ${row.status}`)).toEqual([
    '0 1 valid',
    '0 8 looped',
    '4096 1 valid',
    '4096 8 over_capacity',
  ])
  expect(model.view.events.filter((event) => event.text.includes('vllm'))).toHaveLength(1)
  expect(model.view.events.find((event) => event.text === 'something odd')).toMatchObject({ level: 'warn' })
})

test('changes say everything: a reader that only takes them ends where the engine is', () => {
  store.runs.create(newRun('r1', plan))
  let model = seed()
  let reader = model.view
  let folded = model.view
  let waiting = {}
  for (const line of spoolLines(WHOLE)) {
    const step = applyLine(model, line)
    model = step.model
    // What goes away is said with a snapshot; nothing else may need one.
    if (step.reset) {
      expect(['hello', 'state', 'end', 'facts', 'planned']).toContain(line.kind)
      reader = model.view
      folded = model.view
      waiting = {}
      continue
    }
    // Over the wire, where undefined is nothing.
    reader = applyChange(reader, JSON.parse(JSON.stringify(step.change)) as typeof step.change)
    waiting = mergeChanges(waiting, step.change)
    expect(JSON.parse(JSON.stringify(reader))).toEqual(JSON.parse(JSON.stringify(model.view)))
    expect(JSON.parse(JSON.stringify(applyChange(folded, waiting)))).toEqual(JSON.parse(JSON.stringify(model.view)))
  }
})

test('the running cell: its phase, rates for the sparkline, gone when it ends', () => {
  store.runs.create(newRun('r1', plan))
  let model = seed()
  const feed = (...entries: SpoolEntry[]) => {
    for (const line of spoolLines(entries, 100)) model = applyLine(model, line).model
    return model.view.live
  }
  expect(feed(...WHOLE.slice(0, 5), cell('scout'))).toMatchObject({ phase: 'scout', recentRates: [] })
  expect(feed(cell('window'), live(10), live(20))).toMatchObject({ phase: 'window', tokensPerSecond: 20, recentRates: [10, 20] })
  const many = feed(...Array.from({ length: 300 }, (_, index) => live(index)))
  expect(many?.recentRates).toHaveLength(RATES_KEPT)
  expect(many?.recentRates.at(-1)).toBe(299)
  expect(feed(attemptEntry(0, 1))).toBeUndefined()
  expect(feed(cell('window', 0, 8))).toMatchObject({ concurrency: 8, recentRates: [] })
})

test('telemetry of ten minutes and 500 events, however long it runs', () => {
  store.runs.create(newRun('r1', plan))
  let model = seed()
  const entries = Array.from(
    { length: 2000 },
    (_, index): SpoolEntry => (index % 2 === 0 ? sample(index) : { kind: 'event', level: 'info', text: `e${String(index)}` }),
  )
  const lines: SpoolLine[] = spoolLines(entries)
  for (const line of lines) model = applyLine(model, line).model
  expect(model.view.events).toHaveLength(500)
  expect(model.view.events.at(-1)?.text).toBe('e1999')
  const first = model.view.telemetry[0]?.t ?? 0
  expect((model.view.telemetry.at(-1)?.t ?? 0) - first).toBeLessThanOrEqual(600_000)
  expect(model.view.telemetry.length).toBeGreaterThan(290)
  store.runs.appendLines('r1', lines)
  expect(seed().view.telemetry).toEqual(model.view.telemetry)
  expect(seed().view.events).toEqual(model.view.events)
  expect(weighChange({ telemetry: model.view.telemetry, events: model.view.events })).toBeGreaterThan(700)
})

test('what the engine itself has to say is among the events', () => {
  store.runs.create(newRun('r1', plan))
  store.runs.appendLines('r1', spoolLines([hello('r1')]))
  store.runs.addEvent('r1', 'info', 'measured through the tunnel')
  expect(seed().view.events.map((event) => event.text)).toContain('measured through the tunnel')
  expect(Date.parse(seed().view.startedAt ?? '')).toBe(START_MS + 1000)
})
