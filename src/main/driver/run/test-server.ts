import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the stand-in does; everything may be changed while it runs. */
export interface TestServerBehaviour {
  model: string
  maxModelLen: number
  kvTokens: number | undefined
  apiKey: string | undefined
  tokensPerEvent: number
  /** ms between two events of a stream. */
  gapMs: number
  prefillMs: number
  maxRunning: number
  hasMetrics: boolean
  hasTokenize: boolean
  usage: 'continuous' | 'final' | 'none'
  cachedTokens: boolean
  /** Added to the running gauge. */
  foreign: number
  /** Answers every request like this instead. */
  answer: { status: number; contentType: string; body: string } | undefined
  /** Text of the i-th event of a request. */
  text: (event: number) => string
  /** After that many events of a measured request (max_tokens > 64). */
  fault: { kind: 'cut' | 'error_event' | 'hang'; afterEvents: number } | undefined
  demo: boolean
  /** Answers nothing any more. */
  hangs: boolean
}

interface Waiting {
  start: () => void
}

export interface TestServer {
  readonly baseUrl: string
  readonly behaviour: TestServerBehaviour
  /** Tokens sent, as the server counts them. */
  readonly generated: () => number
  readonly bodies: { path: string; body: Record<string, unknown> }[]
  readonly running: () => number
  readonly maxRunningSeen: () => number
  close(): Promise<void>
}

const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length
const TEMPLATE_TOKENS = 5

function promptOf(body: Record<string, unknown>): { text: string; tokens: number } {
  if (Array.isArray(body.messages)) {
    const text = body.messages.map((message: { content: string }) => message.content).join(' ')
    return { text, tokens: countWords(text) + TEMPLATE_TOKENS }
  }
  if (Array.isArray(body.prompt)) return { text: body.prompt.join(' '), tokens: body.prompt.length }
  return { text: String(body.prompt), tokens: countWords(String(body.prompt)) }
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return parts.length === 0 ? {} : (JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>)
}

/** A small OpenAI-style server on loopback for tests: one word is one token, its faults are scripted. */
/** `wantedPort`: to come back where one was before; a free one by default. */
export async function startTestServer(changes: Partial<TestServerBehaviour> = {}, wantedPort = 0): Promise<TestServer> {
  const behaviour: TestServerBehaviour = {
    model: 'test-model',
    maxModelLen: 32_768,
    kvTokens: 1_000_000,
    apiKey: undefined,
    tokensPerEvent: 1,
    gapMs: 5,
    prefillMs: 5,
    maxRunning: Number.POSITIVE_INFINITY,
    hasMetrics: true,
    hasTokenize: true,
    usage: 'continuous',
    cachedTokens: true,
    foreign: 0,
    answer: undefined,
    text: (event) => `word${event} `,
    fault: undefined,
    demo: false,
    hangs: false,
    ...changes,
  }
  let running = 0
  let maxRunningSeen = 0
  let generated = 0
  let queries = 0
  let hits = 0
  const queue: Waiting[] = []
  const bodies: TestServer['bodies'] = []
  const seen: string[] = []

  function json(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { 'content-type': 'application/json', ...(behaviour.demo ? { 'x-speedgrid-demo': '1' } : {}) })
    response.end(JSON.stringify(body))
  }

  function metrics(): string {
    const config =
      behaviour.kvTokens === undefined
        ? ''
        : `vllm:cache_config_info{engine="0",kv_cache_size_tokens="${behaviour.kvTokens}"} 1\n`
    return `${config}vllm:num_requests_running{engine="0"} ${running + behaviour.foreign}
vllm:num_requests_waiting{engine="0"} ${queue.length}
vllm:generation_tokens_total{engine="0"} ${generated}
vllm:prefix_cache_queries_total{engine="0"} ${queries}
vllm:prefix_cache_hits_total{engine="0"} ${hits}
vllm:num_preemptions_total{engine="0"} 0
`
  }

  /** Tokens of the longest known text that this one begins with, in blocks of 16. */
  function cachedTokens(text: string): number {
    const words = text.split(/\s+/)
    let best = 0
    for (const other of seen) {
      const known = other.split(/\s+/)
      let same = 0
      while (same < words.length && same < known.length && words[same] === known[same]) same += 1
      best = Math.max(best, same)
    }
    if (!seen.includes(text)) seen.push(text)
    return Math.floor(best / 16) * 16
  }

  function stream(path: string, body: Record<string, unknown>, response: ServerResponse): void {
    const prompt = promptOf(body)
    const cached = cachedTokens(prompt.text)
    const maxTokens = Number(body.max_tokens ?? 16)
    const isChat = path.includes('chat')
    const fault = maxTokens > 64 ? behaviour.fault : undefined
    const options = body.stream_options as { continuous_usage_stats?: boolean } | undefined
    const continuous = behaviour.usage === 'continuous' && options?.continuous_usage_stats === true
    let tokens = 0
    let events = 0
    let timer: NodeJS.Timeout | undefined
    let released = false

    const usage = () => ({
      prompt_tokens: prompt.tokens,
      completion_tokens: tokens,
      ...(behaviour.cachedTokens ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
    })
    const send = (choices: unknown[], withUsage: boolean) =>
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chunk', choices, ...(withUsage ? { usage: usage() } : {}) })}\n\n`,
      )
    const release = () => {
      if (released) return
      released = true
      clearInterval(timer)
      running -= 1
      queue.shift()?.start()
    }
    const tick = () => {
      if (fault && events >= fault.afterEvents) {
        if (fault.kind === 'hang') return
        if (fault.kind === 'cut') response.destroy()
        else {
          response.write('data: {"error":{"message":"engine failed","code":500}}\n\n')
          response.end('data: [DONE]\n\n')
        }
        return release()
      }
      const grown = Math.min(behaviour.tokensPerEvent, maxTokens - tokens)
      tokens += grown
      generated += grown
      const text = behaviour.text(events)
      events += 1
      const finish = tokens >= maxTokens ? 'length' : null
      send([isChat ? { delta: { content: text }, finish_reason: finish } : { text, finish_reason: finish }], continuous)
      if (finish === null) return
      if (behaviour.usage !== 'none') send([], true)
      response.end('data: [DONE]\n\n')
      release()
    }
    const start = () => {
      running += 1
      maxRunningSeen = Math.max(maxRunningSeen, running)
      queries += prompt.tokens
      hits += cached
      timer = setTimeout(() => {
        if (isChat) send([{ delta: { role: 'assistant', content: '' } }], continuous)
        tick()
        if (!released) timer = setInterval(tick, behaviour.gapMs)
      }, behaviour.prefillMs)
    }
    const waiting = { start }
    response.on('close', () => {
      const at = queue.indexOf(waiting)
      if (at >= 0) queue.splice(at, 1)
      else release()
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (running < behaviour.maxRunning) start()
    else queue.push(waiting)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    const body = await readBody(request)
    if (behaviour.hangs) return
    const { answer } = behaviour
    if (answer) {
      response.writeHead(answer.status, { 'content-type': answer.contentType })
      response.end(answer.body)
      return
    }
    if (
      path.startsWith('/v1/') &&
      behaviour.apiKey !== undefined &&
      request.headers.authorization !== `Bearer ${behaviour.apiKey}`
    ) {
      return json(response, 401, { error: 'Unauthorized' })
    }
    if (path === '/v1/models') {
      return json(response, 200, { data: [{ id: behaviour.model, root: '/models/test', max_model_len: behaviour.maxModelLen }] })
    }
    if (path === '/version') return json(response, 200, { version: '0.0.test' })
    if (path === '/metrics' && behaviour.hasMetrics) {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.end(metrics())
      return
    }
    if (path === '/tokenize' && behaviour.hasTokenize) {
      const { tokens } = promptOf(body)
      return json(response, 200, { count: tokens, tokens: Array.from({ length: tokens }, (_, index) => 1000 + index) })
    }
    if (path === '/v1/chat/completions' || path === '/v1/completions') {
      bodies.push({ path, body })
      if (body.stream === true) return stream(path, body, response)
      return json(response, 200, { choices: [{}], usage: { prompt_tokens: promptOf(body).tokens, completion_tokens: 1 } })
    }
    json(response, 404, { detail: 'Not Found' })
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    behaviour,
    generated: () => generated,
    bodies,
    running: () => running,
    maxRunningSeen: () => maxRunningSeen,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
