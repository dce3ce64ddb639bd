import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PlanInput } from '../../shared/model/plan.ts'
import { runDocumentSchema } from '../../shared/model/run.ts'
import type { SpoolEntry } from '../../shared/model/spool.ts'
import { createStore } from './create-store.ts'
import { attemptEntry, hello, newRun, plannedEntry, prefillEntry, spoolLines } from './spool-lines.testing.ts'
import type { Store } from './types.ts'

let dataDir: string
let store: Store

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-project-'))
  store = createStore({ dataDir })
})
afterEach(() => {
  store.dispose()
  rmSync(dataDir, { recursive: true, force: true })
})

function documentOf(plan: PlanInput, entries: SpoolEntry[]) {
  store.runs.create(newRun('r1', plan))
  store.runs.appendLines('r1', spoolLines([hello('r1'), ...entries]))
  const document = store.runs.document('r1')
  expect(runDocumentSchema.parse(document)).toEqual(document)
  return {
    ...document,
    cell: (context: number, concurrency: number) => {
      const found = document.cells.find((cell) => cell.contextTokens === context && cell.concurrency === concurrency)
      if (found === undefined) throw new Error(`no cell ${String(context)}/${String(concurrency)}`)
      return found
    },
  }
}
const ended: SpoolEntry = { kind: 'end', state: 'stopped', reason: 'stopped by the person' }
const rate = (totalTokensPerSecond: number, confidence95Percent?: number) => ({ totalTokensPerSecond, confidence95Percent })

test('every planned cell is there with a status, in the order of the plan', () => {
  const plan = { contexts: [0, 2048], concurrency: [1, 8, 32], prefillContexts: [2048] }
  const document = documentOf(plan, [
    plannedEntry([0, 2048], [1, 8, 32]),
    attemptEntry(0, 1),
    {
      kind: 'settled',
      contextTokens: 2048,
      concurrency: 32,
      repeat: 1,
      status: 'over_capacity',
      reason: 'needs 9',
      neededTokens: 9,
      kvTokens: 5,
    },
    { kind: 'settled', contextTokens: 0, concurrency: 8, repeat: 1, status: 'skipped', reason: 'by the person' },
    attemptEntry(2048, 1, { status: 'error', reason: 'HTTP 500', logLines: ['boom'] }, { outputTokens: 7, windowSeconds: 2 }),
  ])
  expect(document.cells.map((cell) => `${String(cell.contextTokens)}/${String(cell.concurrency)} ${cell.status}`)).toEqual([
    '0/1 valid',
    '0/8 skipped',
    '0/32 pending',
    '2048/1 error',
    '2048/8 pending',
    '2048/32 over_capacity',
  ])
  expect(document.cell(2048, 32)).toMatchObject({ reason: 'needs 9', neededTokens: 9, kvTokens: 5, attempts: 0 })
  const failed = document.cell(2048, 1)
  expect(failed).toMatchObject({ reason: 'HTTP 500', logLines: ['boom'], discarded: { outputTokens: 7 }, attempts: 1 })
  expect(failed.outputTokens).toBeUndefined()
  expect(document.prefill.map((row) => [row.contextTokens, row.status])).toEqual([[2048, 'pending']])
  expect(document.timing).toMatchObject({ wallSeconds: 6, windowSeconds: 60, prefillSeconds: 0 })
})

test('what an ended run did not reach is cancelled with the reason', () => {
  const document = documentOf({ contexts: [0, 8192], concurrency: [1], prefillContexts: [8192] }, [
    plannedEntry([0, 8192], [1]),
    attemptEntry(0, 1),
    ended,
  ])
  expect(document.cell(8192, 1)).toMatchObject({
    status: 'cancelled',
    reason: expect.stringContaining('stopped by the person') as string,
  })
  expect(document.prefill[0]).toMatchObject({ contextTokens: 8192, status: 'cancelled' })
  expect(document).toMatchObject({ state: 'stopped', reason: 'stopped by the person' })
  expect(document.finishedAt).toBeDefined()
})

test('an interrupted run still waits for its cells', () => {
  const document = documentOf({ contexts: [0], concurrency: [1, 2] }, [
    plannedEntry([0], [1, 2]),
    attemptEntry(0, 1, { status: 'cancelled', reason: 'interrupted' }, {}),
    { kind: 'end', state: 'interrupted' },
  ])
  expect(document.cells.map((cell) => cell.status)).toEqual(['pending', 'pending'])
})

test('a prefill that was broken off waits as well', () => {
  const prefill = documentOf({ contexts: [0], concurrency: [1], prefillContexts: [2048] }, [
    plannedEntry([0], [1]),
    prefillEntry(2048, { status: 'cancelled', cutBy: 'server_gone', samples: [] }),
    { kind: 'end', state: 'interrupted' },
  ])
  expect(prefill.prefill.map((row) => [row.contextTokens, row.status])).toEqual([[2048, 'pending']])
})

test('before the driver has planned, the cells are those of the plan', () => {
  const document = documentOf({ contexts: [0, 'max'], concurrency: [1, 2], prefillContexts: ['max'] }, [])
  expect(document.cells.map((cell) => [cell.contextTokens, cell.concurrency, cell.status])).toEqual([
    [0, 1, 'pending'],
    [0, 2, 'pending'],
  ])
  expect(document.prefill).toEqual([])
})

test('a looped cell keeps nothing, and shows what was thrown away', () => {
  const looped = { totalTokensPerSecond: 90, outputTokens: 2700, completedRequests: 3, promptTokens: 2048 }
  const document = documentOf({ contexts: [2048], concurrency: [1] }, [
    plannedEntry([2048], [1]),
    attemptEntry(2048, 1, { status: 'looped', reason: 'stream 0 repeats', discarded: looped }, {}),
  ])
  const cell = document.cell(2048, 1)
  expect(cell).toMatchObject({ status: 'looped', completedRequests: 0, outputTokens: 0, promptTokens: 2048, discarded: looped })
  expect(cell.totalTokensPerSecond).toBeUndefined()
  expect(cell.confidence95Percent).toBeUndefined()
})

test('the latest attempt counts; one that was broken off does not displace a result', () => {
  const document = documentOf({ contexts: [0], concurrency: [1, 2, 4] }, [
    plannedEntry([0], [1, 2, 4]),
    attemptEntry(0, 1, { status: 'error', reason: 'cut' }, {}),
    attemptEntry(0, 1, { attempt: 2 }, rate(120)),
    attemptEntry(0, 2, {}, rate(200)),
    attemptEntry(0, 2, { attempt: 2 }, rate(210)),
    attemptEntry(0, 4, {}, rate(400)),
    attemptEntry(0, 4, { attempt: 2, status: 'cancelled', reason: 'stopped' }, {}),
  ])
  expect(document.cell(0, 1)).toMatchObject({ status: 'valid', totalTokensPerSecond: 120, attempts: 2 })
  expect(document.cell(0, 2)).toMatchObject({ totalTokensPerSecond: 210, attempts: 2 })
  expect(document.cell(0, 4)).toMatchObject({ status: 'valid', totalTokensPerSecond: 400, attempts: 2 })
})

test('no width is said around a total that was estimated from bare events', () => {
  const document = documentOf({ contexts: [0], concurrency: [1, 2] }, [
    plannedEntry([0], [1, 2]),
    attemptEntry(0, 1, {}, { ...rate(229.9, 5), tokenSource: 'events' }),
    attemptEntry(0, 2, {}, { ...rate(1143, 5), tokenSource: 'server_counter' }),
  ])
  expect(document.cells.map((cell) => cell.confidence95Percent)).toEqual([undefined, 5])
})

test('without repeats the window counts where it is wider than the assumed floor', () => {
  const document = documentOf({ contexts: [0], concurrency: [1, 2, 4, 8] }, [
    { kind: 'facts', facts: { name: 'vllm', servedModel: 'm', capabilities: { metrics: true, tokenize: true } } },
    plannedEntry([0], [1, 2, 4, 8]),
    attemptEntry(0, 1, {}, rate(100, 0.4)),
    attemptEntry(0, 2, {}, rate(100, 6.5)),
    attemptEntry(0, 4, {}, rate(100)),
    attemptEntry(
      0,
      8,
      {},
      {
        ...rate(100, 0.4),
        speculative: { drafts: 1, draftTokens: 3, acceptedTokens: 2, acceptanceLength: 3, stepsPerSecond: 30 },
      },
    ),
  ])
  const shown = document.cells.map((cell) => [cell.confidence95Percent, cell.confidenceSource])
  expect(shown).toEqual([
    [3, 'assumed'],
    [6.5, 'window'],
    [3, 'assumed'],
    [10, 'assumed'],
  ])
})

test('with repeats the figures are medians and the confidence is their spread', () => {
  const document = documentOf({ contexts: [0], concurrency: [1, 2], repeats: 3 }, [
    plannedEntry([0], [1, 2], 3),
    attemptEntry(
      0,
      1,
      { repeat: 1 },
      { ...rate(100), completedRequests: 4, percentiles: { ttftMs: { p50: 10, p90: 20, p99: 30 } } },
    ),
    attemptEntry(
      0,
      1,
      { repeat: 2 },
      { ...rate(110), completedRequests: 5, percentiles: { ttftMs: { p50: 14, p90: 24, p99: 34 } } },
    ),
    attemptEntry(
      0,
      1,
      { repeat: 3 },
      { ...rate(102), completedRequests: 4, percentiles: { ttftMs: { p50: 12, p90: 22, p99: 32 } } },
    ),
    attemptEntry(0, 2, { repeat: 1 }, { ...rate(200), completedRequests: 4 }),
    attemptEntry(0, 2, { repeat: 2, status: 'error', reason: 'HTTP 500' }, {}),
    attemptEntry(0, 2, { repeat: 3 }, { ...rate(220), completedRequests: 5 }),
  ])
  const first = document.cell(0, 1)
  expect(first).toMatchObject({ totalTokensPerSecond: 102, completedRequests: 4, repeats: 3, confidenceSource: 'repeats' })
  expect(first.percentiles).toEqual({ ttftMs: { p50: 12, p90: 22, p99: 32 } })
  // t(0.975, 2) = 4.302653; sd of 100, 110, 102 = 5.291503; mean 104
  expect(first.confidence95Percent).toBeCloseTo((4.302653 * 5.291503) / Math.sqrt(3) / 1.04, 3)
  expect(document.cell(0, 2)).toMatchObject({
    status: 'valid',
    totalTokensPerSecond: 210,
    completedRequests: 5,
    repeats: 2,
    reason: 'repeat 2: HTTP 500',
  })
})

test('prefill rows take what was asked for before what a scout found', () => {
  const document = documentOf({ contexts: [2048, 8192], concurrency: [1], prefillContexts: [2048, 8192] }, [
    plannedEntry([2048, 8192], [1]),
    prefillEntry(2048, { ttftMs: 400 }),
    prefillEntry(2048, { ttftMs: 999, source: 'scout' }),
    prefillEntry(8192, { status: 'error', reason: 'cut', samples: [] }),
    prefillEntry(8192, { ttftMs: 800, source: 'scout' }),
    prefillEntry(16_384, { source: 'scout' }),
  ])
  expect(document.prefill.map((row) => [row.contextTokens, row.ttftMs, row.source, row.completedRequests])).toEqual([
    [2048, 400, 'standalone', 1],
    [8192, 800, 'scout', 1],
    [16_384, 500, 'scout', 1],
  ])
  expect(document.timing.prefillSeconds).toBeCloseTo(7.5)
})

test('a resume adds to the run: facts, path, prompts, time and the earlier verdicts', () => {
  const over = {
    contextTokens: 2048,
    concurrency: 8,
    repeat: 1,
    verdict: 'over_capacity' as const,
    reason: 'needs 9',
    neededTokens: 9,
    kvTokens: 5,
  }
  store.runs.create(newRun('r1', { contexts: [2048], concurrency: [1, 8] }))
  const facts = { name: 'vllm' as const, servedModel: 'qwen', capabilities: { metrics: true, tokenize: true } }
  const first = spoolLines([
    hello('r1'),
    { kind: 'facts', facts: { ...facts, kvTokens: 5 }, path: { roundTripMs: 0.2, jitterMs: 0.1, probes: 20 } },
    { kind: 'prompt', contextTokens: 2048, countedTokens: 2048, method: 'tokenize', sha256: 'a', seconds: 0.1 },
    { kind: 'planned', contexts: [2048], prefillContexts: [], cells: [over], estimateSeconds: 1 },
    { kind: 'event', level: 'info', text: 'warmed up' },
  ])
  store.runs.appendLines('r1', first)
  store.runs.setState('r1', 'interrupted', 'the driver is gone')
  const second = spoolLines(
    [
      { ...hello('r1', 2), nodeVersion: 'v22.1.0' } as SpoolEntry,
      { kind: 'state', state: 'preparing' },
      { kind: 'facts', facts: { ...facts, model: 'Qwen/Qwen3' } },
      { kind: 'prompt', contextTokens: 2048, countedTokens: 2048, method: 'tokenize', sha256: 'b', seconds: 0.1 },
      {
        kind: 'planned',
        contexts: [2048],
        prefillContexts: [],
        cells: [{ ...over, verdict: 'done', reason: undefined }],
        estimateSeconds: 1,
      },
    ],
    6,
  )
  store.runs.appendLines('r1', second)
  const document = store.runs.document('r1')
  expect(document.engine).toMatchObject({ kvTokens: 5, model: 'Qwen/Qwen3' })
  expect(document.path).toEqual({ driver: 'host', roundTripMs: 0.2, jitterMs: 0.1, nodeVersion: 'v22.1.0' })
  expect(document.prompts).toEqual([{ contextTokens: 2048, countedTokens: 2048, method: 'tokenize', sha256: 'b' }])
  expect(document.cells[1]).toMatchObject({ status: 'over_capacity', neededTokens: 9 })
  expect(document.timing.wallSeconds).toBe(10)
  expect(document.state).toBe('preparing')
  expect(document.finishedAt).toBeUndefined()
  expect(document.events.map((event) => event.text)).toEqual(['warmed up'])
  expect(store.runs.find('r1').model).toBe('Qwen/Qwen3')
})
