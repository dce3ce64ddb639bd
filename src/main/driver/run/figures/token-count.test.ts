import { describe, expect, it } from 'vitest'
import type { RequestResult } from '../../stream/types.ts'
import { createEventLog } from '../event-log.ts'
import type { Scrape } from '../metrics-feed.ts'
import type { TrackedRequest } from '../streams.ts'
import { cellFigures } from './cell-figures.ts'
import type { Measured } from './measured.ts'
import { timeBetweenTokensMs } from './request-figures.ts'
import { eventWeights } from './token-count.ts'

function request(fields: Partial<RequestResult> & { stream?: number; loggedTokens?: number }): TrackedRequest {
  const { stream = 0, loggedTokens = fields.outputTokens ?? 0, ...result } = fields
  return {
    stream,
    ordinal: 1,
    loggedTokens,
    looped: false,
    result: { startMs: 0, outputTokens: 0, events: 0, completed: false, tokenSource: 'events', cancelled: false, ...result },
  }
}

const TOLD = { completed: true, usageTold: true }

describe('the weight of an event', () => {
  it('is what its request told at its end, or what the counter says for those that were cut', () => {
    const requests = [
      request({ ...TOLD, outputTokens: 30, loggedTokens: 10 }),
      request({ outputTokens: 10, firstEventMs: 1 }),
      request({ ...TOLD, tokenSource: 'usage', outputTokens: 30 }),
      // Completed without a word of usage: its count is ours.
      request({ completed: true, outputTokens: 10, firstEventMs: 1 }),
    ].map((one) => ({ ...one, result: { ...one.result, firstEventMs: 1 } }))
    expect([...eventWeights(requests, 2.5)]).toEqual([3, 2.5, 1, 2.5])
  })

  it('makes the time between tokens', () => {
    const times = { firstEventMs: 0, lastEventMs: 270, firstEventTokens: 1 }
    expect(timeBetweenTokensMs(request({ ...times, completed: true, outputTokens: 30, loggedTokens: 10 }), 3)).toBe(10)
    expect(timeBetweenTokensMs(request({ ...times, outputTokens: 10 }), 3)).toBe(10)
  })
})

interface Server {
  /** Of each event. */
  tokens: (event: number) => number
  /** What its counter has beside our tokens, per second. */
  foreignPerSecond?: number
  hasCounter?: boolean
  /** Events of a request until it ends and tells its usage; never where absent. */
  toldAfter?: number
  running?: number
}

/** Two streams with an event each 50 ms for 12 s, none of them with a count; scrapes each half second. The window is 10 s of it. */
function seen(server: Server, changes: Partial<Measured> = {}): Measured {
  const log = createEventLog(0)
  const requests: TrackedRequest[] = []
  const current: (number | undefined)[] = [undefined, undefined]
  const scrapes: Scrape[] = []
  let generated = 0
  for (let time = 50; time <= 12_000; time += 50) {
    for (const stream of [0, 1]) {
      const index = (current[stream] ??= requests.push(request({ stream, startMs: time - 50, firstEventMs: time })) - 1)
      const owner = requests[index] as TrackedRequest
      const tokens = server.tokens(owner.loggedTokens)
      generated += tokens
      log.add(index, time, 1)
      owner.loggedTokens += 1
      owner.result.lastEventMs = time
      // What the request has told or, where it says nothing, what we counted.
      owner.result.outputTokens = owner.loggedTokens
      owner.result.firstEventTokens = 1
      if (owner.loggedTokens === server.toldAfter) {
        Object.assign(owner.result, TOLD)
        owner.result.outputTokens = Array.from({ length: owner.loggedTokens }, (_, event) => server.tokens(event)).reduce(
          (sum, value) => sum + value,
          0,
        )
        current[stream] = undefined
      }
    }
    if (time % 500 === 0) {
      const counted = generated + ((server.foreignPerSecond ?? 0) * time) / 1000
      const sample = server.hasCounter === false ? {} : { generationTokens: counted }
      scrapes.push({ endMs: time + 20, latencyMs: 5, sample: { ...sample, running: server.running ?? 2 } })
    }
  }
  return {
    log,
    requests,
    edges: { openMs: 1000, closeMs: 11_000, nominalEndMs: 11_000, referenceStream: 0, medianGapMs: 50 },
    scrapes,
    gpus: [],
    probe: {},
    foreignBefore: 0,
    scoutPromptTokens: undefined,
    oneTokenAnEvent: false,
    ...changes,
  }
}

describe('a server that sends no count with its events', () => {
  it('is counted by its own counter: five tokens an event are not one', () => {
    const { figures, countDoubt } = cellFigures(seen({ tokens: () => 5 }))
    expect(figures).toMatchObject({ tokenSource: 'server_counter', tokensPerEvent: 5, totalTokensPerSecond: 200 })
    expect(figures.outputTokens).toBe(2000)
    expect(figures.timeBetweenTokensMs).toBeCloseTo(10, 6)
    expect(figures.eventsPerSecond).toBeUndefined()
    expect(figures.confidence95Percent).toBeDefined()
    // The counter has made the count: it is no check of it.
    expect(figures.serverCheck).toBeUndefined()
    expect(countDoubt).toContain("events × the server's counter, 5.00 tokens an event")
  })

  it.each([
    ['has no counter', { tokens: () => 5, hasCounter: false }, {}],
    ['counts for somebody else too', { tokens: () => 5, foreignPerSecond: 300, running: 3 }, {}],
    ['was at work for somebody else before', { tokens: () => 5 }, { foreignBefore: 1 }],
  ] as [string, Server, Partial<Measured>][])('and %s gives events, no tokens and no width', (_what, server, changes) => {
    const { figures, countDoubt } = cellFigures(seen(server, changes))
    expect(figures).toMatchObject({ tokenSource: 'events', eventsPerSecond: 40 })
    for (const name of [
      'totalTokensPerSecond',
      'perRequestTokensPerSecond',
      'timeBetweenTokensMs',
      'outputTokens',
      'confidence95Percent',
      'serverCheck',
    ] as const)
      expect(figures[name], name).toBeUndefined()
    expect(figures.ttftMs).toBe(50)
    expect(countDoubt).toContain('not known')
  })

  it('is counted by what its requests tell at their end, and checked by the counter', () => {
    const { figures, countDoubt } = cellFigures(seen({ tokens: () => 3, toldAfter: 20 }))
    expect(figures).toMatchObject({ tokenSource: 'final_usage', tokensPerEvent: 3, totalTokensPerSecond: 120 })
    expect(figures.serverCheck?.differencePercent).toBeCloseTo(0, 6)
    expect(countDoubt).toBeUndefined()
    const alone = cellFigures(seen({ tokens: () => 3, toldAfter: 20, hasCounter: false }))
    expect(alone.figures).toMatchObject({ tokenSource: 'final_usage', totalTokensPerSecond: 120 })
    expect(alone.countDoubt).toContain('estimated')
  })

  it('is set right by the counter where the requests did not tell all, and leaves each request its own word', () => {
    const { figures } = cellFigures(seen({ tokens: () => 3, toldAfter: 20, foreignPerSecond: 6 }))
    expect(figures).toMatchObject({ tokenSource: 'server_counter' })
    expect(figures.totalTokensPerSecond).toBeCloseTo(126, 6)
    expect(figures.timeBetweenTokensMs).toBeCloseTo(50 / 3, 6)
  })

  it('asked for no count because each event is one token stays so, checked by the counter', () => {
    const { figures, countDoubt } = cellFigures(seen({ tokens: () => 1 }, { oneTokenAnEvent: true }))
    expect(figures).toMatchObject({ tokenSource: 'final_usage', tokensPerEvent: 1, totalTokensPerSecond: 40 })
    expect(figures.serverCheck?.differencePercent).toBe(0)
    expect(countDoubt).toBeUndefined()
  })

  it('and puts tokens together under load after all is set right by the counter', () => {
    // Every tenth event holds two tokens; no request ends.
    const { figures, countDoubt } = cellFigures(
      seen({ tokens: (event) => (event % 10 === 0 ? 2 : 1) }, { oneTokenAnEvent: true }),
    )
    expect(figures).toMatchObject({ tokenSource: 'server_counter' })
    expect(figures.totalTokensPerSecond).toBeCloseTo(44, 0)
    expect(figures.tokensPerEvent).toBeCloseTo(1.1, 1)
    expect(figures.serverCheck).toBeUndefined()
    expect(countDoubt).toBeUndefined()
  })
})
