import { describe, expect, it } from 'vitest'
import type { PlanInput } from '../../../shared/model/plan.ts'
import { median } from '../../../shared/stats/index.ts'
import { decodeRawEvents } from './test-raw-events.ts'
import { createFakeClock } from './test-clock.ts'
import { createFakeServer, type FakeServer } from './test-fake-server.ts'
import { attemptAt, attemptsOf, linesOf, runFakeJob, type TestJobOptions } from './test-run.ts'

const PLAN = { contexts: [0, 512], concurrency: [1, 4], seconds: 10, maxOutputTokens: 200 } satisfies PlanInput

async function sweep(plan: PlanInput, changes: Partial<FakeServer> = {}, options: TestJobOptions = {}) {
  const clock = createFakeClock()
  const server = createFakeServer(clock, changes)
  return { ...(await runFakeJob(clock, server, plan, options)), server, clock }
}

const flagsOf = (record: { flags: { flag: string }[] }) =>
  record.flags.map((flag) => flag.flag).filter((flag) => flag !== 'client_limited')

describe('a sweep', () => {
  it('measures every cell in published order and says what it does', async () => {
    const { lines, end, server } = await sweep({ ...PLAN, prefillContexts: [512, 1024] })
    expect(end).toEqual({ state: 'finished' })
    expect(attemptsOf(lines).map((r) => [r.contextTokens, r.concurrency, r.repeat, r.attempt, r.status])).toEqual([
      [0, 1, 1, 1, 'valid'],
      [512, 1, 1, 1, 'valid'],
      [0, 4, 1, 1, 'valid'],
      [512, 4, 1, 1, 'valid'],
    ])
    expect(linesOf(lines, 'state').map((line) => line.state)).toEqual(['preparing', 'running'])
    const phases = linesOf(lines, 'cell').filter((line) => line.contextTokens === 512 && line.concurrency === 4)
    expect(phases.map((line) => line.phase)).toEqual(['barrier', 'scout', 'fill', 'window', 'drain', 'done'])
    expect(linesOf(lines, 'planned')[0]).toMatchObject({ contexts: [0, 512], prefillContexts: [512, 1024] })
    expect(linesOf(lines, 'facts')[0]?.facts).toMatchObject({
      name: 'vllm',
      version: '0.0.fake',
      kvTokens: 6_291_456,
      maxModelLen: 262_144,
    })
    expect(linesOf(lines, 'facts').at(-1)?.facts.capabilities).toMatchObject({ continuousUsage: true, cachedTokens: true })
    expect(linesOf(lines, 'live').length).toBeGreaterThan(40)
    expect(linesOf(lines, 'beat').at(-1)).toMatchObject({ doneCells: 3, totalCells: 4 })
    expect(server.requests.filter((request) => request.maxTokens === 200).length).toBeGreaterThan(8)
  })

  it('gets the figures right', async () => {
    const { lines } = await sweep(PLAN)
    const { figures, series, requests } = attemptAt(lines, 512, 4)
    // 4 streams, an event each 50 ms; a request of 200 tokens costs 1 + 26 × 0.1 ms before its first.
    expect(figures.promptTokens).toBe(512)
    expect(figures.totalTokensPerSecond).toBeCloseTo(80, 0)
    expect(figures.timeBetweenTokensMs).toBeCloseTo(50, 6)
    expect(figures.perRequestTokensPerSecond).toBeCloseTo(20, 6)
    expect(figures.ttftMs).toBeCloseTo(3.6, 6)
    expect(figures.activeRequestsMean).toBe(4)
    expect(figures.decodingStreamsMean).toBeCloseTo(4, 1)
    expect(figures.completedRequests).toBe(requests.filter((request) => request.completed).length)
    expect(figures.serverCheck?.differencePercent).toBe(0)
    expect(figures.cache).toMatchObject({ preemptions: 0 })
    expect(figures.cache?.cachedShare).toBeCloseTo(486 / 512)
    expect(figures.confidenceSource).toBe('window')
    // One token an event, and a counter to check them by: no count was asked for with the events.
    expect(figures.tokenSource).toBe('final_usage')
    expect(figures.serverCheck?.differencePercent).toBeCloseTo(0, 1)
    expect(series.reduce((sum, second) => sum + second.tokens, 0)).toBe(figures.outputTokens)
  })

  it('keeps raw events from which the total can be recomputed', async () => {
    const { lines } = await sweep(PLAN)
    for (const { figures, rawEvents, requests, windowOpenMs = 0, windowCloseMs = 0 } of attemptsOf(lines)) {
      if (!rawEvents) throw new Error('no raw events')
      const { timesUs, tokens, requests: owners } = decodeRawEvents(rawEvents)
      const counted = Array.from(timesUs, (time, i) => ({ time, tokens: tokens[i] ?? 0, owner: owners[i] ?? 0 })).filter(
        (event) => event.time > windowOpenMs * 1000 && event.time <= windowCloseMs * 1000,
      )
      const sum = counted.reduce((total, event) => total + event.tokens, 0)
      const last = counted.at(-1)?.time ?? 0
      expect(sum).toBe(figures.outputTokens)
      expect(sum / ((last - windowOpenMs * 1000) / 1e6)).toBeCloseTo(figures.totalTokensPerSecond ?? Number.NaN, 9)
      expect(Math.max(...owners)).toBe(requests.length - 1)
      const itls = requests.flatMap((request) => {
        const rest = request.outputTokens - (request.firstEventTokens ?? 1)
        return rest > 0 ? [((request.lastEventMs ?? 0) - (request.firstEventMs ?? 0)) / rest] : []
      })
      expect(median(itls)).toBeCloseTo(figures.timeBetweenTokensMs ?? Number.NaN, 3)
    }
  })

  it('opens the window on an event and closes it on one of the same stream', async () => {
    const { lines } = await sweep({ ...PLAN, contexts: [0], concurrency: [1], maxOutputTokens: 4000 })
    const { figures } = attemptAt(lines, 0, 1)
    expect(figures).toMatchObject({ outputTokens: 200, windowSeconds: 10, measuredSeconds: 10 })
    expect(figures.totalTokensPerSecond).toBeCloseTo(20, 9)
  })

  it('settles cells over capacity without measuring them', async () => {
    const contexts = [80, 160, 320, 640, 1280, 2510]
    const plan: PlanInput = {
      contexts,
      concurrency: [1, 2, 4, 8, 16, 32, 64, 128],
      seconds: 1,
      settleSeconds: 0.1,
      maxOutputTokens: 40,
    }
    const { lines, end } = await sweep(plan, { kvTokens: 61_440, gapMs: 200, prefillMsPerToken: 0.01 })
    expect(end.state).toBe('finished')
    const settled = linesOf(lines, 'settled')
    expect(settled.map((line) => `${line.contextTokens}×${line.concurrency}`).sort()).toEqual(
      ['640×128', '1280×64', '1280×128', '2510×32', '2510×64', '2510×128'].sort(),
    )
    expect(settled.every((line) => line.status === 'over_capacity' && (line.neededTokens ?? 0) > 61_440)).toBe(true)
    expect(attemptsOf(lines).map((record) => record.status)).toEqual(Array.from({ length: 42 }, () => 'valid'))
  })

  it('measures short requests on a fast server', async () => {
    const { lines } = await sweep({ ...PLAN, maxOutputTokens: 100 }, { gapMs: 1 })
    expect(attemptsOf(lines).map((record) => record.status)).toEqual(['valid', 'valid', 'valid', 'valid'])
    for (const record of attemptsOf(lines)) {
      expect(flagsOf(record)).toEqual([])
      expect(record.phaseSeconds.fill).toBeLessThan(1.2)
      expect(record.figures.completedRequests).toBeGreaterThan(50)
    }
  })

  it('counts several tokens an event by usage', async () => {
    const { lines } = await sweep({ ...PLAN, maxOutputTokens: 4000 }, { tokensPerEvent: 3 })
    expect(attemptAt(lines, 0, 1).figures.totalTokensPerSecond).toBeCloseTo(60, 6)
    expect(attemptAt(lines, 0, 1).figures.timeBetweenTokensMs).toBeCloseTo(50 / 3, 6)
  })

  it('ends a window early once the rate is known well enough, and goes on to the maximum where it is not', async () => {
    const plan = { ...PLAN, contexts: [0], concurrency: [1], maxOutputTokens: 4000, seconds: 30 }
    const early = await sweep({ ...plan, targetPrecisionPercent: 3, minSeconds: 6 })
    const seconds = attemptAt(early.lines, 0, 1).figures.windowSeconds ?? 0
    expect(seconds).toBeGreaterThanOrEqual(6)
    expect(seconds).toBeLessThan(8)
    const late = await sweep({ ...plan, targetPrecisionPercent: 0.0001, maxSeconds: 45 }, { gapMs: 70 })
    expect(attemptAt(late.lines, 0, 1).figures.windowSeconds).toBeCloseTo(45, 0)
  })

  it('repeats the grid and numbers the repeats', async () => {
    const { lines } = await sweep({ ...PLAN, contexts: [0], repeats: 2, seconds: 2 })
    expect(attemptsOf(lines).map((r) => [r.concurrency, r.repeat, r.attempt])).toEqual([
      [1, 1, 1],
      [4, 1, 1],
      [1, 2, 1],
      [4, 2, 1],
    ])
  })

  it('stops beginning cells when the time budget is used up, and says so for each', async () => {
    const { lines, end } = await sweep({ ...PLAN, timeBudgetMinutes: 0.5 })
    expect(end.state).toBe('finished')
    expect(attemptsOf(lines).length).toBe(2)
    expect(linesOf(lines, 'settled').map((line) => [line.status, line.reason])).toEqual(
      Array.from({ length: 2 }, () => ['skipped', 'the time budget of 0.5 minutes is used up']),
    )
  })

  it('only looks on a dry run', async () => {
    const { lines, end, server } = await sweep(
      { ...PLAN, contexts: [8192, 131_072], concurrency: [1, 128] },
      {},
      { job: { dryRun: true } },
    )
    expect(end).toEqual({ state: 'finished', reason: 'dry run' })
    expect(linesOf(lines, 'planned')[0]?.cells.map((cell) => cell.verdict)).toEqual(['run', 'run', 'run', 'over_capacity'])
    expect(server.requests).toEqual([])
    expect(lines.map((line) => line.kind)).toEqual(['state', 'facts', 'planned', 'end'])
  })

  it('refuses a context that cannot fit before anything is measured', async () => {
    const { lines, end } = await sweep({ ...PLAN, contexts: [262_144] })
    expect(end).toMatchObject({ state: 'failed', error: { code: 'plan' } })
    expect(end.error?.cause).toContain('262,144')
    expect(attemptsOf(lines)).toEqual([])
  })

  it('goes on where a former driver ended, with prompts the server has never seen', async () => {
    const first = await sweep(PLAN)
    const job = {
      epoch: 2,
      firstLine: 100,
      done: {
        cells: [
          { contextTokens: 0, concurrency: 1, repeat: 1 },
          { contextTokens: 512, concurrency: 1, repeat: 1 },
        ],
        prefills: [],
      },
      attempts: [{ contextTokens: 512, concurrency: 4, repeat: 1, attempts: 2 }],
    }
    const second = await sweep(PLAN, {}, { job })
    expect(attemptsOf(second.lines).map((r) => [r.contextTokens, r.concurrency, r.attempt])).toEqual([
      [0, 4, 1],
      [512, 4, 3],
    ])
    const prompt = (run: typeof first) =>
      run.server.requests
        .filter((request) => request.body.length > 2000)
        .at(-1)
        ?.body.toString()
    expect(prompt(first)).toBeDefined()
    expect(prompt(second)?.slice(0, 120)).not.toBe(prompt(first)?.slice(0, 120))
  })
})
