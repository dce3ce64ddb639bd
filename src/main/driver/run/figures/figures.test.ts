import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventLog } from '../event-log.ts'
import type { Scrape } from '../metrics-feed.ts'
import { encodeRawEvents } from '../raw-events.ts'
import { decodeRawEvents } from '../test-raw-events.ts'
import { cellFigures } from './cell-figures.ts'
import { cellFlags, type FlagInput } from './flags.ts'
import type { Measured } from './measured.ts'
import { columns, request } from './test-attempt.ts'
import { countArrived, countWindow, madeSinceUs } from './window-tokens.ts'

/** The window of a log of up to three requests. */
function windowOf(log: ReturnType<typeof columns>, openUs: number, closeUs: number) {
  return countWindow(log, [1, 1, 1], madeSinceUs(log, 3), openUs, closeUs)
}

describe('the window', () => {
  const SPLIT: [number, number, number?][] = [
    [0, 1],
    [1000, 2],
    [1000, 4],
    [1500, 8],
    [2000, 16],
    [2000, 32],
    [2500, 64],
  ]

  it('is half-open: the opening event does not count, the closing one does', () => {
    const window = windowOf(columns(SPLIT), 1_000_000, 2_000_000)
    expect(window).toMatchObject({ tokens: 8 + 16 + 32, events: 3 })
    expect(window.secondTokens).toEqual([8 + 16 + 32])
    expect(countArrived(columns(SPLIT), [1], 1_000_000, 2_000_000)).toBe(56)
  })

  it('divides the tokens of an event that lies across an edge by time', () => {
    // Five tokens each 100 ms; 40 ms of the first event that counts, and 70 ms of the last, are inside.
    const events = Array.from({ length: 12 }, (_, index): [number, number] => [index * 100, 5])
    expect(windowOf(columns(events), 160_000, 870_000).tokens).toBeCloseTo(2 + 6 * 5 + 3.5, 9)
    // Whole events would be 5 × 7 in 710 ms: 1.4 % too few.
    expect(countArrived(columns(events), [1], 160_000, 870_000)).toBe(35)
  })

  it('counts a first event where it arrived', () => {
    const window = windowOf(
      columns([
        [950, 3, 0],
        [1050, 3, 1],
      ]),
      1_000_000,
      2_000_000,
    )
    expect(window.tokens).toBe(3)
  })

  // Three streams make a token each 10 ms each for 2 s, but the reader stood still around an edge.
  const heldUp = (fromMs: number, toMs: number) => {
    const events: [number, number, number][] = []
    for (let time = 10; time <= 2000; time += 10)
      for (let stream = 0; stream < 3; stream += 1) events.push([time > fromMs && time <= toMs ? toMs + stream : time, 1, stream])
    return columns(events.sort((a, b) => a[0] - b[0]))
  }

  it.each([
    ['opening', 450, 650, 650, 1650],
    ['inside', 700, 1100, 500, 1500],
    ['closing', 1400, 1700, 500, 1530],
  ])('gives what was read late back to the time in which it was made: %s', (_where, fromMs, toMs, openMs, closeMs) => {
    const late = heldUp(fromMs, toMs)
    const made = (3 * (closeMs - openMs)) / 10
    // The edge is on the first stream's late event; the others' come 1 and 2 ms later.
    expect(Math.abs(windowOf(late, openMs * 1000, closeMs * 1000).tokens / made - 1)).toBeLessThan(0.002)
    if (_where === 'inside') return
    expect(Math.abs(countArrived(late, [1, 1, 1], openMs * 1000, closeMs * 1000) / made - 1)).toBeGreaterThan(0.02)
  })

  it('takes what came in several reads of one burst for what it is', () => {
    // Ten events held up from 400 ms on come within 2 ms at the edge; the window is the ten intervals before the first of them.
    const burst: [number, number][] = Array.from({ length: 10 }, (_, index) => [500 + index / 5, 5])
    const events: [number, number][] = [
      ...Array.from({ length: 40 }, (_, index): [number, number] => [10 + index * 10, 5]),
      ...burst,
    ]
    expect(windowOf(columns(events), 300_000, 500_000).tokens).toBeCloseTo(100, -0.5)
    expect(countArrived(columns(events), [1], 300_000, 500_000)).toBe(55)
  })

  it('does not take a stream that goes on at its pace after a gap for a burst', () => {
    // Made each 10 ms, but nothing was made from 400 to 700 ms; the window opens when it goes on.
    const times = Array.from({ length: 100 }, (_, index) => 10 * (index + 1)).filter((time) => time <= 400 || time >= 700)
    const log = columns(times.map((time): [number, number] => [time, 5]))
    expect(windowOf(log, 700_000, 900_000).tokens).toBeCloseTo(100, 6)
  })

  it('splits without losing or doubling a token', () => {
    const events = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 })),
      { maxLength: 200 },
    )
    fc.assert(
      fc.property(events, fc.integer({ min: 0, max: 5000 }), (list, split) => {
        const data = columns(list.sort((a, b) => a[0] - b[0]))
        const whole = windowOf(data, -1, 6e6)
        const [left, right] = [windowOf(data, -1, split * 1000), windowOf(data, split * 1000, 6e6)]
        expect(whole.tokens).toBeCloseTo(
          list.reduce((sum, [, tokens]) => sum + tokens, 0),
          6,
        )
        expect(left.tokens + right.tokens).toBeCloseTo(whole.tokens, 6)
        expect(left.events + right.events).toBe(whole.events)
        expect(whole.secondTokens.reduce((sum, tokens) => sum + (tokens ?? 0), 0)).toBeCloseTo(whole.tokens, 6)
      }),
    )
  })
})

describe('raw events', () => {
  it('come back as they were, and say when they were cut', () => {
    const data = columns([
      [0.0015, 1, 3],
      [0.0015, 0, 1],
      [12.5, 7, 2],
      [99_999.123, 4096, 65_000],
    ])
    const back = decodeRawEvents(encodeRawEvents(data))
    expect([...back.timesUs]).toEqual([2, 2, 12_500, 99_999_123])
    expect([...back.tokens]).toEqual([1, 0, 7, 4096])
    expect([...back.requests]).toEqual([3, 1, 2, 65_000])
    const cut = encodeRawEvents(data, 2)
    expect(cut).toMatchObject({ count: 2, truncated: true })
    expect([...decodeRawEvents(cut).tokens]).toEqual([1, 0])
    expect(() => decodeRawEvents({ ...cut, count: 3 })).toThrow('raw events')
  })
})

function measured(changes: Partial<Measured> = {}): Measured {
  const log = createEventLog(0)
  const requests = [
    request({
      startMs: 0,
      firstEventMs: 100,
      lastEventMs: 10_100,
      outputTokens: 101,
      firstEventTokens: 1,
      promptTokens: 8192,
      cachedTokens: 8000,
      completed: true,
    }),
    request({
      startMs: 10_100,
      ordinal: 2,
      firstEventMs: 10_300,
      lastEventMs: 20_000,
      outputTokens: 98,
      firstEventTokens: 1,
      promptTokens: 8192,
      cachedTokens: 8176,
    }),
    request({
      stream: 1,
      startMs: 0,
      lastByteSentMs: 50,
      firstEventMs: 300,
      lastEventMs: 20_000,
      outputTokens: 198,
      firstEventTokens: 1,
      promptTokens: 8192,
      cachedTokens: 8176,
    }),
  ]
  for (let time = 100; time <= 20_000; time += 100) {
    const first = time <= 10_100 ? 0 : 1
    if (first === 0 || time >= 10_300) log.add(first, time, 1)
    if (time >= 300) log.add(2, time, 1)
  }
  return {
    log,
    requests,
    edges: { openMs: 2000, closeMs: 12_000, nominalEndMs: 12_000, referenceStream: 1, medianGapMs: 100 },
    scrapes: [],
    gpus: [],
    probe: {},
    foreignBefore: 0,
    scoutPromptTokens: undefined,
    oneTokenAnEvent: false,
    ...changes,
  }
}

const scrape = (endMs: number, sample: Scrape['sample'], latencyMs = 5): Scrape => ({ endMs, latencyMs, sample })

describe('figures', () => {
  it('follow their definitions', () => {
    const { figures, ttftSamples, itlSamples } = cellFigures(measured())
    expect(figures).toMatchObject({
      promptTokens: 8192,
      // stream 1: 100 events; stream 0: 81 of its first request, 18 of its second
      outputTokens: 100 + 81 + 18,
      totalTokensPerSecond: 19.9,
      measuredSeconds: 10,
      windowSeconds: 10,
      ttftMs: 200,
      ttftInitialMs: 200,
      ttftRestartMs: 200,
      ttftFromLastByteMs: 250,
      timeBetweenTokensMs: 100,
      perRequestTokensPerSecond: 10,
      completedRequests: 1,
      requestSamples: 3,
      tokenSource: 'usage',
    })
    expect(figures.decodingStreamsMean).toBeCloseTo(1 + (8100 + 1700) / 10_000)
    expect(figures.percentiles?.eventGapMs).toEqual({ p50: 100, p90: 100, p99: 100 })
    // Only the second request got its first output inside the window.
    expect(figures.cache?.cachedShare).toBe(8176 / 8192)
    expect([ttftSamples, itlSamples]).toEqual([3, 3])
    expect(figures.activeRequestsMean).toBeUndefined()
    expect(figures.serverCheck).toBeUndefined()
  })

  it('take the per-request rate as the median of the reciprocals', () => {
    const requests = [
      request({ firstEventMs: 0, lastEventMs: 1000, outputTokens: 11, firstEventTokens: 1 }),
      request({ firstEventMs: 0, lastEventMs: 4000, outputTokens: 11, firstEventTokens: 1 }),
    ]
    const { figures } = cellFigures(measured({ requests }))
    expect(figures.timeBetweenTokensMs).toBe(250)
    expect(figures.perRequestTokensPerSecond).toBe((10 + 2.5) / 2)
  })

  it('check themselves against the server between quick scrapes only', () => {
    const { timesUs } = measured().log.columns()
    const generated = (endMs: number) => 1000 + timesUs.filter((time) => time <= endMs * 1000).length
    const scrapes = [2020, 4050, 7050, 11_950].map((endMs) => scrape(endMs, { generationTokens: generated(endMs), running: 2 }))
    scrapes.unshift(scrape(1990, { generationTokens: 5 }))
    scrapes.push(scrape(11_990, { generationTokens: 99_999 }, 900))
    const { figures } = cellFigures(measured({ scrapes }))
    expect(figures.serverCheck?.seconds).toBeCloseTo(9.93)
    expect(figures.serverCheck).toMatchObject({ serverTokens: 197, ourTokens: 197, differencePercent: 0 })
    expect(figures.activeRequestsMean).toBe(2)
  })

  it('prefer a scrape between two steps to one in the middle of a burst', () => {
    const log = createEventLog(0)
    // Steps of 32 tokens every 100 ms; the scrape at 1001 ms has counted a step that arrives while its answer is under way.
    for (let time = 100; time <= 10_000; time += 100)
      for (let stream = 0; stream < 32; stream += 1) log.add(0, time + stream * 0.1, 1)
    const edges = { openMs: 950, closeMs: 10_000, nominalEndMs: 10_000, referenceStream: 0, medianGapMs: 100 }
    const scrapes = [
      scrape(1001, { generationTokens: 320 }),
      scrape(1050, { generationTokens: 320 }),
      scrape(9950, { generationTokens: 3168 }),
    ]
    const { figures } = cellFigures(measured({ log, edges, scrapes }))
    expect(figures.serverCheck).toMatchObject({ serverTokens: 2848, ourTokens: 2848, differencePercent: 0 })
  })

  it('do not compare at a scrape that overtook a backlog of ours', () => {
    const log = createEventLog(0)
    // One token each 2 ms, but what came from 1.5 s to 2.5 s is read at once at 2.51 s, behind a scrape that has counted it.
    for (let time = 2; time <= 10_000; time += 2) log.add(0, time > 1500 && time <= 2510 ? 2510 : time, 1)
    const edges = { openMs: 1000, closeMs: 10_000, nominalEndMs: 10_000, referenceStream: 0, medianGapMs: 2 }
    const at = (endMs: number) => scrape(endMs, { generationTokens: Math.floor(endMs / 2) })
    const { figures } = cellFigures(measured({ log, edges, scrapes: [at(2505), at(2605), at(9905)] }))
    expect(figures.serverCheck).toMatchObject({ serverTokens: 3650, ourTokens: 3650, differencePercent: 0 })
  })

  it('count speculation, preemptions and energy from differences and samples inside the window', () => {
    const sample = (generationTokens: number, specDrafts: number, specAcceptedTokens: number, preemptions: number) => ({
      generationTokens,
      specDrafts,
      specDraftTokens: specDrafts * 3,
      specAcceptedTokens,
      preemptions,
    })
    const scrapes = [scrape(2500, sample(100, 10, 20, 1)), scrape(11_500, sample(400, 100, 200, 3))]
    const gpu = (index: number, powerWatts: number) => ({
      index,
      powerWatts,
      smClockMhz: 1500,
      temperatureC: 60 + index,
      throttleReasons: ['sw_power_cap'],
    })
    const gpus = [
      { atMs: 3000, gpus: [gpu(0, 300), gpu(1, 200)] },
      { atMs: 4000, gpus: [gpu(0, 500), gpu(1, 200)] },
    ]
    const { figures } = cellFigures(measured({ scrapes, gpus }))
    // out 300, drafts 90, accepted 180: 90 drafting steps brought 270, 30 steps brought one each
    expect(figures.speculative).toMatchObject({ drafts: 90, draftTokens: 270, acceptedTokens: 180, acceptanceLength: 3 })
    expect(figures.speculative?.stepsPerSecond).toBeCloseTo(120 / 9)
    expect(figures.cache?.preemptions).toBe(2)
    expect(figures.energy).toMatchObject({
      meanWatts: 600,
      gpuCount: 2,
      samples: 2,
      temperatureC: 61,
      throttleReasons: ['sw_power_cap'],
    })
    expect(figures.energy?.joulesPerOutputToken).toBeCloseTo(600 / 19.9)
  })
})

describe('flags', () => {
  const input = (changes: Partial<FlagInput> = {}): FlagInput => ({
    contextTokens: 8192,
    concurrency: 2,
    outcome: cellFigures(measured()),
    gate: { filled: true, effectiveConcurrency: 2 },
    gpus: [],
    foreignBefore: 0,
    scoutMissed: undefined,
    wantsCache: true,
    pathJitterMs: undefined,
    tunnelLoopDelayP99Ms: undefined,
    replacedShare: undefined,
    ...changes,
  })
  const names = (changes: Partial<FlagInput>) => cellFlags(input(changes)).map((flag) => flag.flag)
  const outcomeWith = (figures: object, rest: object = {}) => {
    const outcome = cellFigures(measured())
    return { ...outcome, ...rest, figures: { ...outcome.figures, ...figures } }
  }

  it('are absent where there is no doubt', () => expect(names({})).toEqual([]))

  it.each([
    ['prompt_length', { contextTokens: 8300 }],
    ['not_filled', { gate: { filled: false, effectiveConcurrency: 1, detail: 'timed out' } }],
    ['foreign_load', { foreignBefore: 1 }],
    ['cache_miss', { outcome: outcomeWith({ cache: { cachedShare: 0.2 } }) }],
    ['client_limited', { outcome: outcomeWith({ path: { edgeDoubtPercent: 0.6 } }) }],
    ['client_limited', { outcome: outcomeWith({ path: { firstLatenessP50Ms: 14 } }) }],
    ['client_limited', { outcome: outcomeWith({ path: { cpuShare: 0.95 } }) }],
    ['client_limited', { tunnelLoopDelayP99Ms: 60 }],
    ['path_noise', { pathJitterMs: 15 }],
    ['drifting', { outcome: outcomeWith({}, { drift: { drifting: true, changePercent: -9, probability: 0 } }) }],
    ['few_samples', { outcome: outcomeWith({}, { ttftSamples: 2 }) }],
    ['stalled', { outcome: outcomeWith({}, { silence: { afterSeconds: 1, seconds: 2 } }) }],
    [
      'server_disagrees',
      { outcome: outcomeWith({ serverCheck: { serverTokens: 103, ourTokens: 100, differencePercent: 3, seconds: 9 } }) },
    ],
    ['preempted', { outcome: outcomeWith({ cache: { cachedShare: 1, preemptions: 2 } }) }],
    ['estimated_tokens', { outcome: outcomeWith({}, { countDoubt: 'no count' }) }],
    ['loop_replaced', { replacedShare: 0.01 }],
    ['throttled', { gpus: [{ atMs: 0, gpus: [{ index: 0, throttleReasons: ['hw_thermal_slowdown'] }] }] }],
  ] as [string, Partial<FlagInput>][])('%s is raised alone', (flag, changes) => expect(names(changes)).toEqual([flag]))

  it('of a client that was held up say what it does to the figures, not that it was', () => {
    // Sound cells of a busy machine: the loop was late by tens of ms at its worst, and the figures were within 0.1 % and 5 ms of the truth.
    for (const path of [
      {
        latenessP99Ms: 23.6,
        loopDelayP99Ms: 35.1,
        loopDelayMaxMs: 70,
        firstLatenessP50Ms: 4.3,
        edgeDoubtPercent: 0.01,
        cpuShare: 0.1,
      },
      {
        latenessP99Ms: 0.1,
        loopDelayP99Ms: 34.6,
        loopDelayMaxMs: 335,
        firstLatenessP50Ms: 0.8,
        edgeDoubtPercent: 0.003,
        cpuShare: 0.02,
      },
    ])
      expect(names({ outcome: outcomeWith({ path }) })).toEqual([])
    const late = cellFlags(input({ outcome: outcomeWith({ path: { firstLatenessP50Ms: 14 } }) }))[0]
    expect(late?.figures).toEqual(['ttftMs'])
    // Held up for so long and so often that the total can't be relied on either (recorded: 4.5 % and 253 ms off).
    const heldUp = { firstLatenessP50Ms: 181, loopDelayP99Ms: 731, edgeDoubtPercent: 0.41 }
    expect(cellFlags(input({ outcome: outcomeWith({ path: heldUp, windowSeconds: 5 }) }))[0]?.figures).toEqual([
      'totalTokensPerSecond',
      'ttftMs',
    ])
    const edges = cellFlags(input({ outcome: outcomeWith({ path: { edgeDoubtPercent: 1.3 } }) }))[0]
    expect(edges?.figures).toEqual(['totalTokensPerSecond'])
    expect(
      cellFlags(input({ outcome: outcomeWith({ path: { cpuShare: 0.95, firstLatenessP50Ms: 14 } }) }))[0]?.figures,
    ).toBeUndefined()
  })

  it('say which figures they are about', () => {
    const [few] = cellFlags(input({ outcome: outcomeWith({}, { itlSamples: 1 }) }))
    expect(few).toMatchObject({ figures: ['timeBetweenTokensMs', 'perRequestTokensPerSecond'], detail: 'medians of 1 requests' })
    expect(cellFlags(input({ pathJitterMs: 15 }))[0]?.figures).toEqual(['timeBetweenTokensMs'])
    expect(cellFlags(input({ pathJitterMs: 25 }))[0]?.figures).toEqual(['ttftMs', 'timeBetweenTokensMs'])
  })

  it('do not take a capped clock for throttling unless it is often', () => {
    const reading = (capped: boolean) => ({
      atMs: 0,
      gpus: [{ index: 0, throttleReasons: capped ? ['sw_power_cap'] : ['applications_clocks_setting'] }],
    })
    expect(names({ gpus: [reading(true), ...Array.from({ length: 9 }, () => reading(false))] })).toEqual([])
    expect(names({ gpus: [reading(true), reading(false)] })).toEqual(['throttled'])
  })
})
