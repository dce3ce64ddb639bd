import { describe, expect, it } from 'vitest'
import type { PlanInput } from '../../../shared/model/plan.ts'
import type { SpoolEntry } from '../../../shared/model/spool.ts'
import type { Commands } from './commands.ts'
import { createFakeClock, type FakeClock } from './test-clock.ts'
import { createFakeServer, type FakeServer } from './test-fake-server.ts'
import { attemptAt, attemptsOf, linesOf, runFakeJob, type TestJobOptions } from './test-run.ts'

const PLAN = { contexts: [0, 512], concurrency: [1, 4], seconds: 10, maxOutputTokens: 400 } satisfies PlanInput

type Hook = (line: SpoolEntry, tools: { commands: Commands; server: FakeServer; clock: FakeClock }) => void

async function sweep(
  plan: PlanInput,
  changes: Partial<FakeServer> = {},
  options: Omit<TestJobOptions, 'onLine'> = {},
  hook?: Hook,
) {
  const clock = createFakeClock()
  const server = createFakeServer(clock, changes)
  const onLine = (line: SpoolEntry, commands: Commands) => hook?.(line, { commands, server, clock })
  return { ...(await runFakeJob(clock, server, plan, { ...options, onLine })), server, clock }
}

const flagNames = (record: { flags: { flag: string }[] }) =>
  record.flags.map((flag) => flag.flag).filter((flag) => flag !== 'client_limited')
const isPhase = (line: SpoolEntry, contextTokens: number, concurrency: number, phase: string) =>
  line.kind === 'cell' && line.contextTokens === contextTokens && line.concurrency === concurrency && line.phase === phase
const statuses = (lines: SpoolEntry[]) => attemptsOf(lines).map((r) => `${r.contextTokens}×${r.concurrency} ${r.status}`)

describe('filling', () => {
  it('measures what fits where C is above max_num_seqs, and waits no time-out when that is known', async () => {
    const plan = { ...PLAN, contexts: [0], concurrency: [6], maxOutputTokens: 100_000 }
    const unknown = attemptAt((await sweep(plan, { maxRunning: 4 })).lines, 0, 6)
    expect(unknown.status).toBe('valid')
    expect(unknown.phaseSeconds.fill).toBeCloseTo(60, 0)
    expect(unknown.flags).toContainEqual(
      expect.objectContaining({ flag: 'not_filled', detail: expect.stringContaining('effective concurrency 4 of 6') }),
    )
    const known = attemptAt((await sweep(plan, { maxRunning: 4 }, { job: { known: { maxNumSeqs: 4 } } })).lines, 0, 6)
    expect(known.phaseSeconds.fill).toBeLessThan(2)
    expect(flagNames(known)).toContain('not_filled')
    expect(known.figures.totalTokensPerSecond).toBeCloseTo(80, 0)
  })

  it('is an error, not a figure, when nothing ever comes', async () => {
    const { lines, end } = await sweep({ ...PLAN, contexts: [0], concurrency: [2] }, {}, {}, (line, { server }) => {
      if (isPhase(line, 0, 2, 'fill')) server.prefillMsPerToken = 1e9
    })
    expect(end.state).toBe('finished')
    expect(attemptAt(lines, 0, 2)).toMatchObject({ status: 'error', reason: expect.stringContaining('no output'), figures: {} })
  })
})

describe('load that is not ours', () => {
  it('is an error at once, after the wait, or measured with a flag, as the plan says', async () => {
    const plan = { ...PLAN, contexts: [0], concurrency: [1] }
    const refused = await sweep({ ...plan, foreignLoad: 'error' }, { foreign: 2 })
    expect(attemptAt(refused.lines, 0, 1)).toMatchObject({
      status: 'error',
      reason: expect.stringContaining("2 requests that aren't ours"),
    })
    const waited = attemptAt((await sweep({ ...plan, foreignWaitSeconds: 40 }, { foreign: 2 })).lines, 0, 1)
    expect(waited).toMatchObject({ status: 'error', reason: expect.stringContaining('after 40 s') })
    expect(waited.phaseSeconds.barrier).toBeCloseTo(40, 0)
    const measured = attemptAt((await sweep({ ...plan, foreignLoad: 'measure' }, { foreign: 2 })).lines, 0, 1)
    expect(measured.status).toBe('valid')
    expect(flagNames(measured)).toContain('foreign_load')
  })

  it('is waited for and then gone', async () => {
    const { lines } = await sweep({ ...PLAN, contexts: [0], concurrency: [1] }, { foreign: 2 }, {}, (line, { server }) => {
      if (line.kind === 'event') server.foreign = 0
    })
    expect(linesOf(lines, 'event')[0]?.text).toContain("2 requests that aren't ours")
    expect(attemptAt(lines, 0, 1).status).toBe('valid')
    expect(flagNames(attemptAt(lines, 0, 1))).not.toContain('foreign_load')
  })

  it('that came during a cell is not taken for our own afterwards', async () => {
    const plan = { ...PLAN, contexts: [0], foreignLoad: 'error' as const }
    const { lines } = await sweep(plan, {}, {}, (line, { server }) => {
      if (isPhase(line, 0, 1, 'window')) server.foreign = 3
    })
    expect(attemptAt(lines, 0, 1).phaseSeconds.drain).toBeLessThan(1)
    expect(attemptAt(lines, 0, 4)).toMatchObject({
      status: 'error',
      reason: expect.stringContaining("3 requests that aren't ours"),
    })
  })

  it('is seen inside the window too', async () => {
    const { lines } = await sweep({ ...PLAN, contexts: [0], concurrency: [4] }, {}, {}, (line, { server }) => {
      if (line.kind === 'cell') server.foreign = line.phase === 'window' ? 3 : 0
    })
    expect(attemptAt(lines, 0, 4).flags.find((flag) => flag.flag === 'foreign_load')?.detail).toContain(
      'up to 7 requests, 4 of them ours',
    )
  })
})

const FINDING = { channel: 'content' as const, periodChars: 12, cycles: 400, repeatedChars: 4800, excerpt: 'again again' }

describe('a looping stream', () => {
  it('discards the cell, says what was thrown away, and the next cell runs', async () => {
    const { lines } = await sweep({ ...PLAN, contexts: [0] }, { loop: { afterEvents: 100, finding: FINDING } })
    const looped = attemptAt(lines, 0, 1)
    expect(looped).toMatchObject({
      status: 'looped',
      figures: { completedRequests: 0, outputTokens: 0 },
      loop: { stream: 0, ...FINDING },
    })
    expect(looped.reason).toContain('12 characters')
    expect(looped.discarded?.outputTokens).toBeGreaterThan(50)
    expect(attemptAt(lines, 0, 4).status).toBe('valid')
  })

  it('is replaced where the plan says so, and the cell kept when little was affected', async () => {
    const plan: PlanInput = { ...PLAN, contexts: [512], concurrency: [32], onLoop: 'replace' }
    const kept = attemptAt((await sweep(plan, { loop: { afterEvents: 100, finding: FINDING } })).lines, 512, 32)
    expect(kept.status).toBe('valid')
    expect(flagNames(kept)).toContain('loop_replaced')
    const lost = attemptAt(
      (await sweep({ ...plan, concurrency: [4] }, { loop: { afterEvents: 100, finding: FINDING } })).lines,
      512,
      4,
    )
    expect(lost.status).toBe('looped')
    expect(lost.discarded?.outputTokens).toBeGreaterThan(0)
  })
})

describe('a failing server', () => {
  const failure = { error: { kind: 'error_event' as const, message: 'engine failed' }, afterEvents: 60 }

  it('makes an error cell with the first cause, keeps no figures, and goes on', async () => {
    const { lines, end } = await sweep(PLAN, {}, {}, (line, { server }) => {
      if (line.kind === 'cell') server.failure = line.contextTokens === 512 && line.concurrency === 1 ? failure : undefined
    })
    expect(end.state).toBe('finished')
    expect(statuses(lines)).toEqual(['0×1 valid', '512×1 error', '0×4 valid', '512×4 valid'])
    expect(attemptAt(lines, 512, 1)).toMatchObject({ reason: 'stream 0: engine failed', figures: {} })
    expect(attemptAt(lines, 512, 1).requests[0]?.error).toBe('engine failed')
  })
})

describe("the person's wishes", () => {
  it('pause cuts the attempt, and resume measures it again', async () => {
    let paused = false
    const { lines, end } = await sweep({ ...PLAN, contexts: [0] }, {}, {}, (line, { commands, clock }) => {
      if (paused || !isPhase(line, 0, 4, 'window')) return
      paused = true
      clock.at(clock.now() + 2000, () => commands.take({ kind: 'pause' }))
      clock.at(clock.now() + 60_000, () => commands.take({ kind: 'resume' }))
    })
    expect(end.state).toBe('finished')
    expect(linesOf(lines, 'state').map((line) => line.state)).toEqual(['preparing', 'running', 'paused', 'running'])
    expect(attemptsOf(lines).map((r) => [r.concurrency, r.attempt, r.status])).toEqual([
      [1, 1, 'valid'],
      [4, 2, 'valid'],
    ])
  })

  it('skip ends the cell that runs, or one that waits', async () => {
    const { lines } = await sweep(PLAN, {}, {}, (line, { commands, clock }) => {
      if (!isPhase(line, 0, 1, 'window')) return
      commands.take({ kind: 'skip', contextTokens: 512, concurrency: 4 })
      clock.at(clock.now() + 2000, () => commands.take({ kind: 'skip' }))
    })
    expect(statuses(lines)).toEqual(['0×1 skipped', '512×1 valid', '0×4 valid'])
    expect(attemptAt(lines, 0, 1)).toMatchObject({ reason: 'skipped by the person', figures: {} })
    expect(attemptAt(lines, 0, 1).discarded?.outputTokens).toBeGreaterThan(0)
    expect(linesOf(lines, 'settled')).toEqual([
      expect.objectContaining({ contextTokens: 512, concurrency: 4, status: 'skipped' }),
    ])
  })

  it('stop ends the run and settles the rest', async () => {
    const { lines, end } = await sweep({ ...PLAN, prefillContexts: [512] }, {}, {}, (line, { commands }) => {
      if (isPhase(line, 0, 1, 'fill')) commands.take({ kind: 'stop' })
    })
    expect(end).toMatchObject({ state: 'stopped', reason: 'stopped by the person' })
    expect(statuses(lines)).toEqual(['0×1 cancelled'])
    expect(linesOf(lines, 'settled').map((line) => line.status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(linesOf(lines, 'prefill')[0]?.result).toMatchObject({ contextTokens: 512, status: 'cancelled' })
  })

  it.each(['barrier', 'scout', 'fill', 'window'])('interrupt in phase %s leaves the cell to be resumed', async (phase) => {
    const { lines, end } = await sweep(PLAN, {}, {}, (line, { commands }) => {
      if (isPhase(line, 512, 1, phase)) commands.take({ kind: 'interrupt' })
    })
    expect(end).toMatchObject({ state: 'interrupted' })
    expect(statuses(lines)).toEqual(['0×1 valid'])
    expect(linesOf(lines, 'settled')).toEqual([])
    expect(lines.at(-1)).toMatchObject({ kind: 'end', state: 'interrupted' })
  })

  it('remeasure measures a cell again with the next attempt number', async () => {
    const { lines, end } = await sweep({ ...PLAN, contexts: [0] }, {}, {}, (line, { commands }) => {
      if (!isPhase(line, 0, 4, 'barrier') || line.kind !== 'cell' || line.attempt > 1) return
      commands.take({ kind: 'remeasure', contextTokens: 0, concurrency: 1 })
      commands.take({ kind: 'remeasure', contextTokens: 77, concurrency: 1 })
    })
    expect(end.state).toBe('finished')
    expect(attemptsOf(lines).map((r) => [r.concurrency, r.attempt])).toEqual([
      [1, 1],
      [4, 1],
      [1, 2],
    ])
    expect(linesOf(lines, 'event').some((line) => line.text.includes('not in the plan'))).toBe(true)
  })
})

describe('prefill', () => {
  it('takes the first cold scout of a context, and measures other contexts before the matrix', async () => {
    const { lines } = await sweep({ ...PLAN, prefillContexts: [1024, 512], prefillSamples: 3 })
    const results = linesOf(lines, 'prefill').map((line) => line.result)
    expect(results.map((r) => [r.contextTokens, r.source, r.samples.length, r.status])).toEqual([
      [1024, 'standalone', 3, 'valid'],
      [512, 'scout', 3, 'valid'],
    ])
    expect(results[0]).toMatchObject({ promptTokens: 1024, cachedTokens: 0, flags: [], spreadPercent: 0 })
    expect(results[0]?.ttftMs).toBeCloseTo(1 + 102.4, 6)
    expect(results[0]?.tokensPerSecond).toBeCloseTo(1024 / 0.1034, 3)
    const firstCell = lines.findIndex((line) => line.kind === 'cell')
    expect(lines.findIndex((line) => line.kind === 'prefill')).toBeLessThan(firstCell)
  })

  it("is cold although the blocks of the chat template's own opening are cached", async () => {
    const plan = { ...PLAN, concurrency: [1], prefillContexts: [512], prefillSamples: 2 }
    const { lines } = await sweep(plan, { openingTokens: 37 })
    const [line] = linesOf(lines, 'prefill')
    expect(line?.result).toMatchObject({ cachedTokens: 32, flags: [] })
    expect(line?.result.samples.map((sample) => sample.coldVerified)).toEqual([true, true])
    // As many cached tokens with a shorter opening came from elsewhere.
    const other = await sweep(plan, { openingTokens: 20, sightingsForHit: 0, cacheShare: 0.07 })
    expect(linesOf(other.lines, 'prefill')[0]?.result.flags.map((flag) => flag.flag)).toEqual(['cold_unverified'])
  })

  it('says where it could not be seen to be cold', async () => {
    const { lines } = await sweep({ ...PLAN, concurrency: [1], prefillContexts: [512] }, { hasCachedTokens: false })
    const [line] = linesOf(lines, 'prefill')
    expect(line?.result.flags.map((flag) => flag.flag)).toEqual(['cold_unverified'])
    expect(line?.result.cachedTokens).toBeUndefined()
  })

  it('scouts again until the cache is hit, and flags a cell whose cache never is', async () => {
    const slow = await sweep({ ...PLAN, contexts: [4096], concurrency: [1] }, { sightingsForHit: 3 })
    expect(flagNames(attemptAt(slow.lines, 4096, 1))).not.toContain('cache_miss')
    expect(attemptAt(slow.lines, 4096, 1).figures.cache?.cachedShare).toBeCloseTo(0.95, 2)
    const never = await sweep({ ...PLAN, contexts: [4096], concurrency: [1] }, { sightingsForHit: 1e9 })
    expect(flagNames(attemptAt(never.lines, 4096, 1))).toContain('cache_miss')
  })

  it('does not count the scouts when only the counters tell of the cache', async () => {
    const { lines } = await sweep(
      { ...PLAN, contexts: [4096], concurrency: [4], maxOutputTokens: 100_000 },
      { hasDetails: false },
    )
    const record = attemptAt(lines, 4096, 4)
    expect(record.requests.every((request) => request.cachedTokens === undefined)).toBe(true)
    expect(record.figures.cache?.cachedShare).toBeCloseTo(0.95, 2)
  })

  it('is sampled at the end where the cells that should have brought it were skipped', async () => {
    const plan = { ...PLAN, concurrency: [1], prefillContexts: [512] }
    const { lines } = await sweep(plan, {}, {}, (line, { commands }) => {
      if (line.kind === 'planned') commands.take({ kind: 'skip', contextTokens: 512, concurrency: 1 })
    })
    expect(linesOf(lines, 'prefill').map((line) => [line.result.contextTokens, line.result.source])).toEqual([
      [512, 'standalone'],
    ])
  })
})

describe('prompt modes', () => {
  const measured = (server: FakeServer) => server.requests.filter((request) => request.maxTokens === 400)

  it.each([
    ['shared', 1],
    ['shared-prefix', 4],
    ['distinct', 4],
  ] as const)('%s sends %i different prompts of the exact length', async (promptMode, different) => {
    const { lines, server } = await sweep({ ...PLAN, contexts: [512], concurrency: [4], promptMode })
    const bodies = new Set(measured(server).map((request) => request.body))
    expect(bodies.size).toBe(different)
    expect(new Set(measured(server).map((request) => request.body.toString())).size).toBe(different)
    expect(attemptAt(lines, 512, 4)).toMatchObject({ status: 'valid', figures: { promptTokens: 512 } })
    expect(attemptAt(lines, 512, 4).requests.every((request) => request.promptTokens === 512)).toBe(true)
  })

  it('cold never sends the same prompt twice and wants no cache', async () => {
    const { lines, server } = await sweep({
      ...PLAN,
      contexts: [512],
      concurrency: [4],
      promptMode: 'cold',
      maxOutputTokens: 80,
      prefillContexts: [512],
    })
    const texts = server.requests.filter((request) => request.maxTokens === 80).map((request) => request.body.toString())
    expect(texts.length).toBeGreaterThan(8)
    expect(new Set(texts).size).toBe(texts.length)
    expect(attemptAt(lines, 512, 4).figures.cache?.cachedShare).toBe(0)
    expect(flagNames(attemptAt(lines, 512, 4))).toEqual([])
    expect(linesOf(lines, 'prefill')[0]?.result.source).toBe('standalone')
  })

  it('stagger spreads the ends of the first requests', async () => {
    const { server } = await sweep({ ...PLAN, contexts: [0], concurrency: [4], stagger: true })
    const lengths = server.requests
      .filter((request) => request.maxTokens >= 100)
      .slice(0, 4)
      .map((request) => request.maxTokens)
    expect(lengths).toEqual([100, 200, 300, 400])
  })
})
