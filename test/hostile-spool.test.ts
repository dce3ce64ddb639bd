import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gridLines } from '../src/main/cli/live/grid.ts'
import { createStyle } from '../src/main/cli/live/style.ts'
import { summaryText } from '../src/main/cli/sweep/summary.ts'
import { createRunsApi } from '../src/main/engine/api/runs.ts'
import { createRunsFeed } from '../src/main/engine/api/runs-feed.ts'
import { createSweepTracker } from '../src/main/engine/api/sweep-tracker.ts'
import { createStore, type Store } from '../src/main/store/index.ts'
import { attemptEntry, hello, newRun, plannedEntry, prefillEntry, spoolLines } from '../src/main/store/spool-lines.testing.ts'
import { createLossNote } from '../src/main/sweep/loss-note.ts'
import { createLocalFolder } from '../src/main/sweep/run-folder.ts'
import { createSpoolTail } from '../src/main/sweep/spool-tail.ts'
import { storeLines } from '../src/main/sweep/store-lines.ts'
import { listRunsInput } from '../src/shared/contract/runs.ts'
import { runDocumentSchema } from '../src/shared/model/run.ts'
import type { SpoolEntry, SpoolLine } from '../src/shared/model/spool.ts'
import { renderReport } from '../src/shared/report/index.ts'
import { viewOfDocument } from '../src/shared/run/index.ts'
import { createRandom, damaged, withStrangeNumber, withStrangeValue } from './mutations.ts'

const RUN = 'abc'
const patience = { limitMs: () => 0 }
const ROUNDS = 150

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'speedgrid-hostile-'))
  store = createStore({ dataDir: join(folder, 'data') })
})
afterEach(() => {
  store.dispose()
  rmSync(folder, { recursive: true, force: true })
})

function honestEntries(runId: string): SpoolEntry[] {
  const cell = { contextTokens: 8192, concurrency: 4 }
  return [
    hello(runId),
    { kind: 'state', state: 'preparing' },
    {
      kind: 'facts',
      facts: {
        name: 'vllm',
        servedModel: 'q',
        maxModelLen: 32_768,
        kvTokens: 1e6,
        capabilities: { metrics: true, tokenize: true },
      },
      path: { roundTripMs: 1, jitterMs: 0.1, probes: 5 },
      requestTemplate: { model: 'q', max_tokens: 10, stream_options: { include_usage: true } },
    },
    plannedEntry([0, 8192], [1, 4]),
    { kind: 'prompt', contextTokens: 8192, countedTokens: 8191, method: 'tokenize', sha256: 'ab', seconds: 1 },
    { kind: 'state', state: 'running' },
    prefillEntry(8192),
    { kind: 'cell', ...cell, repeat: 1, attempt: 1, phase: 'window', detail: 'x' },
    { kind: 'live', ...cell, phase: 'window', tokensPerSecond: 10, activeStreams: 4, windowSeconds: 3, outputTokens: 30 },
    {
      kind: 'sample',
      gpus: [{ index: 0, powerWatts: 300, memoryUsedMiB: 1, utilizationPercent: 5, throttleReasons: ['sw_power_cap'] }],
      metrics: { running: 1, waiting: 0, kvUsage: 0.5, generationTokens: 7 },
    },
    attemptEntry(8192, 4, {
      flags: [{ flag: 'stalled', detail: 'x' }],
      windowOpenMs: 1,
      windowCloseMs: 30_000,
      rawEvents: { encoding: 'deltas-deflate-base64/1', count: 1, truncated: false, data: 'AAAA' },
      loop: { stream: 1, channel: 'content', periodChars: 1, cycles: 2, repeatedChars: 3, excerpt: 'a' },
    }),
    {
      kind: 'settled',
      contextTokens: 0,
      concurrency: 1,
      repeat: 1,
      status: 'skipped',
      reason: 'x',
      neededTokens: 5,
      kvTokens: 4,
    },
    { kind: 'event', level: 'warn', text: 'something' },
    { kind: 'beat', doneCells: 1, totalCells: 4, remainingSeconds: 10 },
    { kind: 'end', state: 'failed', reason: 'x', error: { code: 'http', cause: 'c', evidence: ['e'] } },
  ]
}

/** Every way to look at a run: none may throw, whatever is stored. */
async function openEverywhere(runId: string): Promise<void> {
  expect(store.runs.list().map((row) => row.id)).toContain(runId)
  const document = store.runs.document(runId)
  const read = runDocumentSchema.safeParse(document)
  expect(read.error?.issues ?? []).toEqual([])
  for (const format of ['html', 'md', 'csv', 'json'] as const) expect(renderReport(document, format)).toBeTruthy()
  const style = createStyle(false)
  expect(summaryText(document, { columns: 100, style })).toBeTruthy()
  expect(gridLines(viewOfDocument(document, { doneCells: 0, totalCells: 0 }), { columns: 100, lines: 40 }, style)).toBeTruthy()
  const tracker = createSweepTracker({ store, runId, link: { link: 'not_attached' }, onRowChange: () => undefined })
  expect(tracker.snapshot().runId).toBe(runId)
  tracker.poll()
  tracker.dispose()
  const feed = createRunsFeed({ store })
  const api = createRunsApi({ store, feed, onChanged: () => undefined })
  expect((await api.list(listRunsInput.parse({}))).matching).toBeGreaterThan(0)
  for (const { contextTokens, concurrency } of document.cells.slice(0, 8)) {
    await api.cell({ runId, contextTokens, concurrency })
  }
  await api.telemetry({ runId })
  feed.dispose()
}

function begin(runId: string): void {
  store.runs.create(newRun(runId, { contexts: [0, 8192], concurrency: [1, 4], prefillContexts: [8192] }))
}

/** As an engine reads and stores what stands in a driver's folder. */
async function readIn(runId: string, spool: string): Promise<void> {
  const at = join(folder, runId)
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'spool.jsonl'), spool)
  const tail = createSpoolTail({ folder: createLocalFolder(at), runId, epoch: 1, afterLine: store.runs.lastLine(runId) })
  const note = createLossNote()
  for (let more = true; more; ) {
    const chunk = await tail.next()
    for (const { level, text } of note(chunk)) store.runs.addEvent(runId, level, text)
    await storeLines(store.runs, runId, chunk.lines, { patience, onStored: () => undefined })
    more = chunk.more
  }
  rmSync(at, { recursive: true })
}

const written = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const events = (runId: string) => store.runs.document(runId).events.map(({ text }) => text)

describe('a spool that is not what a driver writes', () => {
  it('a time that no date has is left out and said; the rest of the run is there', async () => {
    begin(RUN)
    const lines: unknown[] = spoolLines(honestEntries(RUN))
    lines[12] = { ...(lines[12] as SpoolLine), t: 1e20 }
    await readIn(RUN, written(lines))
    expect(events(RUN)).toEqual([expect.stringContaining('one line was left out: line 13 is not understood: t: ') as string])
    expect(store.runs.find(RUN).state).toBe('failed')
    await openEverywhere(RUN)
  })

  it('a number far ahead doesn’t hide the lines that follow', async () => {
    begin(RUN)
    const lines: unknown[] = spoolLines(honestEntries(RUN))
    lines.splice(3, 0, { n: Number.MAX_SAFE_INTEGER, t: 1, m: 1, kind: 'event', level: 'info', text: 'far' })
    await readIn(RUN, written(lines))
    expect(store.runs.lastLine(RUN)).toBe(15)
    expect(events(RUN)).toEqual([expect.stringContaining("line 9007199254740991 can't come after line 3") as string, 'something'])
  })

  it('lines of nonsense are counted in a few events, and not told again when the spool is read again', async () => {
    begin(RUN)
    const honest = spoolLines(honestEntries(RUN))
    const spool = written(honest.slice(0, 5)) + 'nonsense\n'.repeat(12_345) + written(honest.slice(5))
    await readIn(RUN, spool)
    const told = events(RUN).filter((text) => text.includes('left out'))
    expect(told.length).toBeLessThanOrEqual(5)
    expect(told.at(-1)).toMatch(/12345 lines were left out|lines were left out: a line that is no spool line: nonsense/)
    await readIn(RUN, spool + 'nonsense\n')
    expect(events(RUN).filter((text) => text.includes('left out'))).toHaveLength(told.length + 1)
    await readIn(RUN, spool)
  })

  it('a line without an end is passed over in time that grows with its bytes, and in bounded memory', async () => {
    begin(RUN)
    const honest = spoolLines(honestEntries(RUN))
    await readIn(RUN, `${written(honest.slice(0, 5))}${'x'.repeat(120 * 1024 * 1024)}\n${written(honest.slice(5))}`)
    expect(events(RUN)).toEqual([
      expect.stringContaining('one line was left out: a line longer than 32 MiB') as string,
      'something',
    ])
    expect(store.runs.find(RUN).state).toBe('failed')
    await openEverywhere(RUN)
  })

  it('whatever is changed in a line, storing never throws and every front door opens the run', async () => {
    const random = createRandom(1)
    for (let round = 0; round < ROUNDS; round += 1) {
      const runId = `run${String(round)}`
      begin(runId)
      const lines = spoolLines(honestEntries(runId)).map((line) => {
        const choice = random.below(3)
        if (choice === 0) return JSON.stringify(line)
        if (choice === 1) return JSON.stringify(withStrangeValue(line, random))
        return damaged(JSON.stringify(line), random)
      })
      await readIn(runId, `${lines.join('\n')}\n`)
      await openEverywhere(runId)
      store.runs.setTrashed(runId, true)
      expect(store.runs.list({ trashed: true }).length).toBeGreaterThan(0)
      store.runs.setTrashed(runId, false)
      expect(() => store.runs.document(runId)).not.toThrow()
    }
  })
})

describe('what an older version has stored as it came', () => {
  it('times that no date has open everywhere', async () => {
    begin(RUN)
    const lines = spoolLines(honestEntries(RUN)).filter((line) => line.kind !== 'hello')
    store.runs.appendLines(
      RUN,
      lines.map((line) => ({ ...line, t: line.n % 2 === 0 ? 1e20 : -1e20, m: 1e300 })),
    )
    await openEverywhere(RUN)
    expect(store.runs.document(RUN).events.map(({ at }) => at)).toEqual(['1970-01-01T00:00:00.000Z'])
  })

  it('numbers of any size open everywhere', async () => {
    const random = createRandom(2)
    for (let round = 0; round < ROUNDS; round += 1) {
      const runId = `old${String(round)}`
      begin(runId)
      const lines = spoolLines(honestEntries(runId)).map((line) => {
        const changed = random.below(3) === 0 ? line : (withStrangeNumber(line, random) as SpoolLine)
        return { ...changed, n: line.n }
      })
      // What the older schema let through as well: whole numbers are safe ones.
      const stored = lines.filter((line) => !hasUnsafeCount(line))
      for (const line of stored) store.runs.appendLines(runId, [line])
      await openEverywhere(runId)
    }
  })
})

const WHOLE =
  /^(?:n|epoch|pid|index|stream|ordinal|events|second|tokens|count|probes|repeat|attempt|samples|gpuCount|\w*(?:Tokens|Cells|Streams|Requests|Chars|Samples|Len)|cycles|concurrency)$/

function hasUnsafeCount(value: unknown, key = ''): boolean {
  if (typeof value === 'number') return WHOLE.test(key) && !Number.isSafeInteger(value)
  if (Array.isArray(value)) return value.some((item) => hasUnsafeCount(item, key.replace(/s$/, 'Tokens')))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, item]) => hasUnsafeCount(item, name))
}
