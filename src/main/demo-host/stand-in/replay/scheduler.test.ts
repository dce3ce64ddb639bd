import { describe, expect, it } from 'vitest'
import { findMachine, MACHINES } from '../../machines/index.ts'
import type { Machine } from '../../machines/index.ts'
import { createPrefixCache, createPromptBlocks } from './prefix-cache.ts'
import { createScheduler } from './scheduler.ts'
import type { EngineRequest } from './scheduler.ts'
import { createSpeeds } from './speeds.ts'
import { playCell } from './test-client.ts'
import { tokenize } from './tokenizer.ts'

// Calibrating a machine takes a tenth of a second.
const speeds = new Map(MACHINES.map((machine) => [machine.name, createSpeeds(machine)]))

function schedulerOf(machine: Machine, options: { maxSequences?: number } = {}) {
  return createScheduler({
    speeds: speeds.get(machine.name) ?? createSpeeds(machine),
    cache: createPrefixCache(machine.kvTokens),
    kvTokens: machine.kvTokens,
    maxSequences: options.maxSequences ?? 1024,
    acceptanceLength: machine.speculation?.acceptanceLength ?? 1,
    draftTokens: machine.speculation?.draftTokens ?? 0,
  })
}

const h200 = () => {
  const machine = findMachine('h200')
  if (!machine) throw new Error('no such machine')
  return machine
}

function blocksOf(text: string) {
  const blocks = createPromptBlocks()
  tokenize(text, blocks)
  return blocks.hashes
}

const request = (changes: Partial<EngineRequest>): EngineRequest => ({
  arrivalMs: 0,
  promptTokens: 8192,
  blocks: [],
  maxTokens: 4096,
  stopAtTokens: Infinity,
  onTokens: () => {},
  ...changes,
})

describe.each(MACHINES)('a sweep on $name by an ideal client', (machine) => {
  const valid = machine.cells.filter((cell) => cell.status === 'valid')

  it.each(valid)('$contextTokens × $concurrency comes out as published', (cell) => {
    const figures = playCell(schedulerOf(machine), cell.contextTokens, cell.concurrency, { windowSeconds: 30, settleSeconds: 1 })
    const off = (measured: number, published: number | undefined) => Math.abs(measured / (published ?? 0) - 1)
    expect(off(figures.totalTokensPerSecond, cell.totalTokensPerSecond)).toBeLessThan(0.02)
    expect(off(figures.timeBetweenTokensMs, cell.timeBetweenTokensMs)).toBeLessThan(0.03)
    expect(off(figures.ttftMs, cell.ttftMs)).toBeLessThan(0.01)
    expect(figures.looped).toBe(false)
  })

  it.each(machine.cells.filter((cell) => cell.status === 'looped'))('$contextTokens × $concurrency loops', (cell) => {
    const figures = playCell(schedulerOf(machine), cell.contextTokens, cell.concurrency, { windowSeconds: 2, settleSeconds: 1 })
    expect(figures.looped).toBe(true)
  })

  it.each(machine.prefill)('a cold prefill of $contextTokens takes what is published', (row) => {
    const scheduler = schedulerOf(machine)
    let firstMs = 0
    const tokens = Math.min(row.contextTokens, machine.maxModelLen - 1)
    const onTokens: EngineRequest['onTokens'] = (_tokens, _completion, dueMs) => (firstMs = dueMs)
    scheduler.submit(request({ promptTokens: tokens, blocks: blocksOf('a cold prompt'), maxTokens: 1, onTokens }))
    scheduler.advance(1e6)
    expect(Math.abs(firstMs / row.ttftMs - 1)).toBeLessThan(0.03)
    expect(Math.abs(((tokens / firstMs) * 1000) / row.tokensPerSecond - 1)).toBeLessThan(0.03)
  })
})

describe('the scheduler', () => {
  it('paces on an absolute schedule: late calls change neither the due times nor the number of tokens', () => {
    const play = (lateness: (step: number) => number) => {
      const scheduler = schedulerOf(h200())
      let last = { dueMs: 0, tokens: 0 }
      scheduler.submit(request({ onTokens: (_tokens, completion, dueMs) => (last = { dueMs, tokens: completion }) }))
      let step = 0
      for (let now = 0; now < 8000; now = (scheduler.nextDueMs() ?? 8000) + lateness((step += 1))) scheduler.advance(now)
      scheduler.advance(8000)
      return last
    }
    const punctual = play(() => 0)
    const late = play((step) => (step * 7919) % 11)
    expect(late.dueMs).toBeCloseTo(punctual.dueMs, 6)
    expect(Math.abs(late.tokens - punctual.tokens)).toBeLessThanOrEqual(3)
  })

  it('sends what it missed as one event, and gives up after a suspended machine', () => {
    const scheduler = schedulerOf(h200())
    const events: number[] = []
    scheduler.submit(request({ onTokens: (tokens) => events.push(tokens) }))
    scheduler.advance(200)
    events.length = 0
    scheduler.advance(260)
    expect(events).toHaveLength(1)
    expect(events[0]).toBeGreaterThan(15)
    events.length = 0
    scheduler.advance(3_600_000)
    expect(events.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThan(10)
  })

  it('steps all streams together', () => {
    const scheduler = schedulerOf(h200())
    const dues: number[][] = [[], [], []]
    for (const list of dues)
      scheduler.submit(request({ blocks: [1, 2, 3], onTokens: (_tokens, _completion, dueMs) => list.push(dueMs) }))
    for (let now = 0; now < 1000; now = scheduler.nextDueMs() ?? 1000) scheduler.advance(now)
    const inStep = dues.map((list) => list.slice(-20))
    expect(inStep[1]).toEqual(inStep[0])
    expect(inStep[2]).toEqual(inStep[0])
  })

  it('counts drafts and accepted tokens consistently', () => {
    const scheduler = schedulerOf(h200())
    scheduler.submit(request({}))
    for (let now = 0; now < 5000; now = scheduler.nextDueMs() ?? 5000) scheduler.advance(now)
    const { drafts, acceptedTokens, draftTokens, generationTokens, acceptedAtPosition } = scheduler.counters
    expect(draftTokens).toBe(drafts * 2)
    expect(acceptedTokens + drafts + 1).toBe(generationTokens)
    expect(acceptedAtPosition[0]).toBeGreaterThan(acceptedAtPosition[1] ?? 0)
    expect(acceptedTokens / drafts).toBeCloseTo(1.2, 1)
  })

  it('queues what the KV capacity or max_num_seqs does not hold, and lets it in when a place is free', () => {
    const machine = h200()
    const byCapacity = schedulerOf(machine)
    const submitted = Array.from({ length: 32 }, () => byCapacity.submit(request({ promptTokens: 257_024, blocks: [1] })))
    expect([byCapacity.running, byCapacity.waiting]).toEqual([24, 8])
    submitted[0]?.abort(5)
    expect([byCapacity.running, byCapacity.waiting]).toEqual([24, 7])
    const bySequences = schedulerOf(machine, { maxSequences: 4 })
    for (let index = 0; index < 6; index += 1) bySequences.submit(request({}))
    expect([bySequences.running, bySequences.waiting]).toEqual([4, 2])
  })

  it('drops an aborted request at once', () => {
    const scheduler = schedulerOf(h200())
    let tokens = 0
    const submitted = scheduler.submit(request({ onTokens: (count) => (tokens += count) }))
    scheduler.advance(500)
    expect(scheduler.running).toBe(1)
    submitted.abort(501)
    const before = tokens
    scheduler.advance(900)
    expect([scheduler.running, scheduler.nextDueMs(), tokens]).toEqual([0, undefined, before])
    expect(scheduler.counters.finished.abort).toBe(1)
  })

  it('gives a repeated prompt the cached TTFT and a changed first token the cold one', () => {
    const machine = h200()
    const scheduler = schedulerOf(machine)
    const text = Array.from({ length: 8000 }, (_unused, index) => `w${String.fromCodePoint(97 + (index % 26))}x`).join(' ')
    const ttft = (prompt: string, now: number) => {
      const blocks = createPromptBlocks()
      const promptTokens = tokenize(prompt, blocks)
      let firstMs = 0
      const onTokens: EngineRequest['onTokens'] = (_tokens, _completion, dueMs) => (firstMs = dueMs)
      const submitted = scheduler.submit(request({ arrivalMs: now, promptTokens, blocks: blocks.hashes, maxTokens: 1, onTokens }))
      scheduler.advance(now + 10_000)
      return { ttftMs: firstMs - now, cached: submitted.cachedTokens, promptTokens }
    }
    const cold = ttft(`a ${text}`, 0)
    const warm = ttft(`a ${text}`, 20_000)
    const other = ttft(`b ${text}`, 40_000)
    expect(cold.cached).toBe(0)
    expect(warm.cached).toBeGreaterThan(warm.promptTokens - 32)
    expect(warm.ttftMs).toBeLessThan(cold.ttftMs * 0.7)
    expect(other.cached).toBe(0)
    expect(other.ttftMs).toBeCloseTo(cold.ttftMs, 6)
  })

  it('does cold prefills one after the other', () => {
    const scheduler = schedulerOf(h200())
    const first: number[] = []
    for (let index = 0; index < 3; index += 1) {
      scheduler.submit(
        request({ promptTokens: 65_536, blocks: [index + 1], maxTokens: 1, onTokens: (_t, _c, dueMs) => first.push(dueMs) }),
      )
    }
    scheduler.advance(60_000)
    expect(first).toHaveLength(3)
    expect((first[2] ?? 0) / (first[0] ?? 1)).toBeCloseTo(3, 1)
  })
})
