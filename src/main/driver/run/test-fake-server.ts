import { SpeedgridError } from '../../../shared/model/error.ts'
import type {
  DriverClient,
  HttpAnswer,
  InFlight,
  LoopFinding,
  RequestResult,
  StreamError,
  StreamRequest,
} from '../stream/types.ts'
import type { FakeClock } from './test-clock.ts'

export interface FakeServer {
  client: DriverClient
  maxModelLen: number
  kvTokens: number
  maxRunning: number
  gapMs: number
  prefillMsPerToken: number
  /** Share of a repeated prompt that comes from the cache. */
  cacheShare: number
  tokensPerEvent: number
  foreign: number
  hasMetrics: boolean
  /** Fails every measured request after that many events. */
  failure: { error: StreamError; afterEvents: number } | undefined
  /** Reports one loop, on the n-th event of the first measured request that gets there. */
  loop: { afterEvents: number; finding: LoopFinding } | undefined
  /** Sightings of a prompt until it is served from the cache (hybrid models need several). */
  sightingsForHit: number
  hasCachedTokens: boolean
  /** Cached tokens are told in usage, not only by the counters. */
  hasDetails: boolean
  /** Tokens of a chat template's fixed opening, whose whole blocks of 16 are cached from the first request on; /tokenize tells ids. */
  openingTokens: number | undefined
  onEvent: ((server: FakeServer) => void) | undefined
  /** The whole server: refuses everything. */
  isGone: boolean
  /** As if the process had been started anew: streams end, counters and cache begin again. */
  restart: () => void
  /** What a refused request looks like; another error where it isn't the server that refuses. */
  refusal: () => Error
  /** Nothing moves: streams and answers wait until this is false again. */
  isStalled: boolean
  generated: number
  requests: { path: string; body: Buffer; maxTokens: number; atMs: number }[]
}

const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length

/** A server inside fake time: usage with every event where it is asked for, else at the end; a queue behind `maxRunning`, a prefix cache by whole prompts. One word is one token. */
export function createFakeServer(clock: FakeClock, changes: Partial<FakeServer> = {}): FakeServer {
  const seen = new Map<string, number>()
  const queue: { start: () => void }[] = []
  const counters = { queries: 0, hits: 0 }
  let running = 0
  let generation = 0

  const answer = (status: number, body: unknown): HttpAnswer => ({
    status,
    headers: { 'content-type': 'application/json' },
    text: typeof body === 'string' ? body : JSON.stringify(body),
    latencyMs: 1,
    endMs: clock.now(),
  })

  function metrics(): string {
    return `vllm:cache_config_info{engine="0",kv_cache_size_tokens="${server.kvTokens}"} 1
vllm:num_requests_running{engine="0"} ${running + server.foreign}
vllm:num_requests_waiting{engine="0"} ${queue.length}
vllm:generation_tokens_total{engine="0"} ${server.generated}
vllm:num_preemptions_total{engine="0"} 0
${server.hasCachedTokens ? `vllm:prefix_cache_queries_total{engine="0"} ${counters.queries}\nvllm:prefix_cache_hits_total{engine="0"} ${counters.hits}\n` : ''}`
  }

  async function request(method: string, path: string, options: { json?: unknown } = {}): Promise<HttpAnswer> {
    await clock.sleep(1)
    while (server.isStalled) await clock.sleep(50)
    if (server.isGone) throw server.refusal()
    if (path === '/v1/models') return answer(200, { data: [{ id: 'fake', max_model_len: server.maxModelLen }] })
    if (path === '/version') return answer(200, { version: '0.0.fake' })
    if (path === '/metrics') return server.hasMetrics ? answer(200, metrics()) : answer(404, {})
    if (path === '/tokenize') return answer(200, tokenize(options.json as Record<string, unknown>))
    return answer(404, { method })
  }

  function countPrompt(body: Record<string, unknown>): number {
    const messages = body.messages as { content: string }[]
    return countWords(messages.map((message) => message.content).join(' ')) + 4
  }

  function tokenize(body: Record<string, unknown>): { count: number; tokens?: number[] } {
    const count = countPrompt(body)
    if (server.openingTokens === undefined) return { count }
    const first = (body.messages as { content: string }[])[0]?.content.charCodeAt(0) ?? 0
    return { count, tokens: [...Array<number>(server.openingTokens).fill(9), first, 8] }
  }

  function stream({ path, body, onEvent, onLoop }: StreamRequest): InFlight {
    const parsed = JSON.parse(body.toString()) as Record<string, unknown>
    const maxTokens = Number(parsed.max_tokens)
    const prompt = JSON.stringify(parsed.messages)
    const promptTokens = countPrompt(parsed)
    const options = parsed.stream_options as { continuous_usage_stats?: boolean } | undefined
    const countsEvents = options?.continuous_usage_stats !== true
    server.requests.push({ path, body, maxTokens, atMs: clock.now() })
    const opening = server.requests.length > 1 ? Math.floor((server.openingTokens ?? 0) / 16) * 16 : 0
    const cachedTokens =
      (seen.get(prompt) ?? 0) >= server.sightingsForHit ? Math.floor(promptTokens * server.cacheShare) : opening
    const result: RequestResult = {
      startMs: clock.now(),
      lastByteSentMs: clock.now(),
      promptTokens,
      outputTokens: 0,
      events: 0,
      completed: false,
      tokenSource: countsEvents ? 'events' : 'usage',
      cancelled: false,
    }
    const mine = generation
    let finished = false
    let started = false
    let made = 0
    let resolveDone: (result: RequestResult) => void = () => undefined
    const done = new Promise<RequestResult>((resolve) => (resolveDone = resolve))
    const finish = () => {
      if (finished) return
      finished = true
      result.endMs = clock.now()
      const at = queue.indexOf(waiting)
      if (at >= 0) queue.splice(at, 1)
      if (started) {
        running -= 1
        queue.shift()?.start()
      }
      resolveDone(result)
    }
    const fail = (error: StreamError) => {
      result.error = error
      finish()
    }
    const tick = () => {
      if (finished) return
      if (server.isStalled) return clock.at(clock.now() + 50, tick)
      if (server.isGone || generation !== mine) return fail({ kind: 'cut', message: 'the stream was cut' })
      const { failure, loop } = server
      if (failure && maxTokens > 64 && result.events >= failure.afterEvents) return fail(failure.error)
      const grown = Math.min(server.tokensPerEvent, maxTokens - made)
      const first = result.events === 0
      made += grown
      result.outputTokens = countsEvents ? result.outputTokens + 1 : made
      result.events += 1
      server.generated += grown
      result.lastEventMs = clock.now()
      if (first) {
        result.firstEventMs = result.lastEventMs
        result.firstTokenMs = result.lastEventMs
        result.firstEventTokens = countsEvents ? 1 : grown
        seen.set(prompt, (seen.get(prompt) ?? 0) + 1)
      }
      onEvent?.({ atMs: clock.now(), deltaTokens: countsEvents ? 1 : grown, completionTokens: result.outputTokens, first })
      if (loop && maxTokens > 64 && result.events === loop.afterEvents) {
        server.loop = undefined
        onLoop?.(loop.finding)
      }
      server.onEvent?.(server)
      if (finished) return
      if (made < maxTokens) return clock.at(clock.now() + server.gapMs, tick)
      result.completed = true
      result.usageTold = true
      result.outputTokens = made
      result.finishReason = 'length'
      finish()
    }
    const start = () => {
      started = true
      running += 1
      if (server.hasCachedTokens && server.hasDetails) result.cachedTokens = cachedTokens
      counters.queries += promptTokens
      counters.hits += cachedTokens
      clock.at(clock.now() + 1 + (promptTokens - cachedTokens) * server.prefillMsPerToken, tick)
    }
    const waiting = { start }
    if (server.isGone) clock.at(clock.now() + 1, () => fail({ kind: 'connect', message: 'connection refused' }))
    else if (running < server.maxRunning) start()
    else queue.push(waiting)
    return {
      result,
      done,
      cancel() {
        result.cancelled = true
        finish()
      },
    }
  }

  const server: FakeServer = {
    client: { stream, request, dispose: () => undefined },
    maxModelLen: 262_144,
    kvTokens: 6_291_456,
    maxRunning: Number.POSITIVE_INFINITY,
    gapMs: 50,
    prefillMsPerToken: 0.1,
    cacheShare: 0.95,
    tokensPerEvent: 1,
    foreign: 0,
    hasMetrics: true,
    failure: undefined,
    loop: undefined,
    sightingsForHit: 1,
    hasCachedTokens: true,
    hasDetails: true,
    openingTokens: undefined,
    onEvent: undefined,
    isGone: false,
    restart() {
      generation += 1
      server.generated = 0
      seen.clear()
    },
    refusal: () => new SpeedgridError('server_gone', 'connection refused'),
    isStalled: false,
    generated: 0,
    requests: [],
    ...changes,
  }
  return server
}
