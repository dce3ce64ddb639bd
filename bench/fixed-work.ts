// A fixed number of requests, C at a time, through the driver's own client, streams, loop detection and scrapes, in a process of its own:
// the load a server is put under by us, in the shape `vllm bench serve` has. Prints one JSON object.
// node bench/fixed-work.ts '{"baseUrl":…,"model":…,"concurrency":8,"requests":32,"inputTokens":128,"outputTokens":256,"seed":1,"vocabulary":4096,"continuousUsage":true}'
import { createClock } from '../src/main/driver/run/clock.ts'
import { createEventLog } from '../src/main/driver/run/event-log.ts'
import { createMetricsFeed } from '../src/main/driver/run/metrics-feed.ts'
import { createStreamSet, type NextRequest } from '../src/main/driver/run/streams.ts'
import { parseMetrics } from '../src/main/driver/sample/prometheus.ts'
import { createDriverClient } from '../src/main/driver/stream/client.ts'
import { encodeBody } from '../src/main/driver/stream/request-body.ts'
import { createRandom } from '../src/main/driver/stream/text.ts'
import { median } from '../src/shared/stats/index.ts'

export interface FixedWork {
  baseUrl: string
  model: string
  concurrency: number
  requests: number
  inputTokens: number
  outputTokens: number
  seed: number
  vocabulary: number
  continuousUsage: boolean
  /** Prompts as token ids, or as the text that the server makes of them. */
  prompts: 'ids' | 'text'
}

export interface FixedWorkResult {
  /** First send to last token. */
  seconds: number
  tokensPerSecond: number
  ttftMs: number
  timeBetweenTokensMs: number
  /** CPU seconds of this process meanwhile. */
  cpuSeconds: number
  events: number
}

const work = JSON.parse(process.argv[2] ?? '{}') as FixedWork
const clock = createClock()
const client = createDriverClient({
  baseUrl: work.baseUrl,
  ...(process.env.SPEEDGRID_BENCH_KEY ? { apiKey: process.env.SPEEDGRID_BENCH_KEY } : {}),
})
const feed = createMetricsFeed({ client, clock, available: true, parse: parseMetrics })
const random = createRandom(work.seed, 1)
async function promptOf(): Promise<string | number[]> {
  // The first 256 ids may be special ones.
  const ids = Array.from({ length: work.inputTokens }, () => 256 + (random() % (work.vocabulary - 256)))
  if (work.prompts === 'ids') return ids
  const answer = await client.request('POST', '/detokenize', { json: { model: work.model, tokens: ids } })
  return (JSON.parse(answer.text) as { prompt: string }).prompt
}
const bodies: NextRequest[] = []
for (let count = 0; count < work.requests; count += 1) {
  const prompt = await promptOf()
  bodies.push({
    path: '/v1/completions',
    body: encodeBody({ prompt }, { model: work.model, maxTokens: work.outputTokens, continuousUsage: work.continuousUsage }),
  })
}

const log = createEventLog(clock.now())
const never = new Promise<NextRequest>(() => undefined)
const failures: string[] = []
const streams = createStreamSet({
  client,
  log,
  concurrency: work.concurrency,
  source: () => bodies.shift() ?? never,
  detectLoops: true,
  onLoop: () => undefined,
  onFailure: (_stream, error) => failures.push(error.message),
})
// The connections that a run has by then are open.
await feed.scrape()
const stopScrapes = feed.start(() => undefined)
const cpu = process.cpuUsage()
streams.start()
while (failures.length === 0 && streams.requests.filter(({ result }) => result.completed).length < work.requests)
  await clock.sleep(20)
const used = process.cpuUsage(cpu)
stopScrapes()
await streams.cancel()
if (failures.length > 0) throw new Error(failures.join('; '))

const results = streams.requests.map(({ result }) => result)
const seconds =
  (Math.max(...results.map((result) => result.lastEventMs ?? 0)) - Math.min(...results.map((result) => result.startMs))) / 1000
const tokens = results.reduce((sum, result) => sum + result.outputTokens, 0)
const report: FixedWorkResult = {
  seconds,
  tokensPerSecond: tokens / seconds,
  ttftMs: median(results.map((result) => (result.firstEventMs ?? 0) - result.startMs)) ?? Number.NaN,
  timeBetweenTokensMs:
    median(results.map((result) => ((result.lastEventMs ?? 0) - (result.firstEventMs ?? 0)) / (result.outputTokens - 1))) ??
    Number.NaN,
  cpuSeconds: (used.user + used.system) / 1e6,
  events: log.count,
}
console.log(JSON.stringify(report))
process.exit()
