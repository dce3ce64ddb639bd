// A fixed number of requests, C at a time, through the driver's own client, streams, loop detection and scrapes, in a process of its own:
// the load a server is put under by us, in the shape `vllm bench serve` has: C warm-ups with the first prompt, then all prompts of the file.
// Prints a line when the work begins and ends, then one JSON object.
// node bench/fixed-work.ts '{"baseUrl":…,"model":…,"concurrency":8,"promptsPath":…,"outputTokens":256,"continuousUsage":true}'
import { readFileSync } from 'node:fs'
import { createClock } from '../src/main/driver/run/clock.ts'
import { createEventLog } from '../src/main/driver/run/event-log.ts'
import { createLoadProbe } from '../src/main/driver/run/load-probe.ts'
import { createMetricsFeed } from '../src/main/driver/run/metrics-feed.ts'
import { createStreamSet, type NextRequest } from '../src/main/driver/run/streams.ts'
import { parseMetrics } from '../src/main/driver/sample/prometheus.ts'
import { createDriverClient } from '../src/main/driver/stream/client.ts'
import { encodeBody } from '../src/main/driver/stream/request-body.ts'
import { median } from '../src/shared/stats/index.ts'
import { WORK_BEGINS, WORK_ENDS } from './process-cpu.ts'

export interface FixedWork {
  baseUrl: string
  model: string
  concurrency: number
  /** In ShareGPT's form: the first turn of each conversation. */
  promptsPath: string
  outputTokens: number
  continuousUsage: boolean
}

export interface FixedWorkResult {
  /** First send to last end. */
  seconds: number
  tokens: number
  promptTokens: number
  events: number
  ttftMs: number
  timeBetweenTokensMs: number
}

const work = JSON.parse(process.argv[2] ?? '{}') as FixedWork
const clock = createClock()
const client = createDriverClient({
  baseUrl: work.baseUrl,
  ...(process.env.SPEEDGRID_BENCH_KEY ? { apiKey: process.env.SPEEDGRID_BENCH_KEY } : {}),
})
const feed = createMetricsFeed({ client, clock, available: true, parse: parseMetrics })
const probe = createLoadProbe()
const conversations = JSON.parse(readFileSync(work.promptsPath, 'utf8')) as { conversations: { value: string }[] }[]
const bodies = conversations.map(({ conversations: [first] }): NextRequest => {
  const { model, outputTokens, continuousUsage } = work
  const body = encodeBody({ prompt: first?.value ?? '' }, { model, maxTokens: outputTokens, continuousUsage })
  return { path: '/v1/completions', body }
})

/** Sends them all, C at a time. */
async function sendAll(requests: readonly NextRequest[]): Promise<FixedWorkResult> {
  const waiting = [...requests]
  const never = new Promise<NextRequest>(() => undefined)
  const log = createEventLog(clock.now())
  let left = requests.length
  const { promise: allEnded, resolve, reject } = Promise.withResolvers<void>()
  const streams = createStreamSet({
    client: {
      ...client,
      stream(request) {
        const flight = client.stream(request)
        void flight.done.then(() => (left -= 1) === 0 && resolve())
        return flight
      },
    },
    log,
    concurrency: work.concurrency,
    source: () => waiting.shift() ?? never,
    detectLoops: true,
    onArrival: (atMs, first) => probe.note(atMs, first),
    onLoop: () => undefined,
    onFailure: (_stream, error) => reject(new Error(error.message)),
  })
  streams.start()
  await allEnded
  await streams.cancel()
  const results = streams.requests.map(({ result }) => result)
  const startMs = Math.min(...results.map((result) => result.startMs))
  return {
    seconds: (Math.max(...results.map((result) => result.endMs ?? 0)) - startMs) / 1000,
    tokens: results.reduce((sum, result) => sum + result.outputTokens, 0),
    promptTokens: results.reduce((sum, result) => sum + (result.promptTokens ?? 0), 0),
    events: results.reduce((sum, result) => sum + result.events, 0),
    ttftMs: median(results.map((result) => (result.firstEventMs ?? 0) - result.startMs)) ?? Number.NaN,
    timeBetweenTokensMs:
      median(results.map((result) => ((result.lastEventMs ?? 0) - (result.firstEventMs ?? 0)) / (result.outputTokens - 1))) ??
      Number.NaN,
  }
}

// The connection that a run has by then is open.
await feed.scrape()
await sendAll(Array.from({ length: work.concurrency }, () => bodies[0] as NextRequest))
console.log(WORK_BEGINS)
const stopScrapes = feed.start(() => undefined)
probe.begin()
probe.openWindow()
const report = await sendAll(bodies)
console.log(WORK_ENDS)
stopScrapes()
console.log(JSON.stringify(report))
process.exit()
