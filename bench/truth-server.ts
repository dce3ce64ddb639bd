// A stand-in that knows what it sent. A process of its own, plain sockets, nothing of the driver's code.
// node bench/truth-server.ts '{"slots":64,"eventsPerSecond":8000}'   prints {"port":…}; ends when its standard input ends.
import { writeSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'

interface Settings {
  /** A free one where absent. */
  port?: number
  /** Streams that can run at once; each has a fixed place in the step. */
  slots: number
  /** Over all slots together; each stream gets eventsPerSecond / slots. */
  eventsPerSecond: number
  tokensPerEvent?: number
  /** From the request to its first possible event. */
  ttftMs?: number
  /** step: all streams' events at once, as an engine's step makes them. spread: evenly over the interval. */
  phase?: 'step' | 'spread'
  /** Which usage it sends: with every event where the request asks for it, in the last event alone, or none at all. */
  usage?: 'continuous' | 'final' | 'none'
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings
const { slots, eventsPerSecond, tokensPerEvent = 1, ttftMs = 20, phase = 'step', usage = 'continuous' } = settings
const intervalNs = (slots / eventsPerSecond) * 1e9
const nowNs = (): number => Number(process.hrtime.bigint())
const startedWallMs = Date.now()
/** What is added to wall time (ns) for CLOCK_MONOTONIC. */
const wallToMonotonicNs = nowNs() - (performance.timeOrigin + performance.now()) * 1e6

interface Running {
  request: number
  socket: Socket
  slot: number
  firstDueNs: number
  maxTokens: number
  sentTokens: number
  head: string
  random: number
  /** Usage with every event. */
  continuous: boolean
  /** When the tokens of its next event began to be made. */
  madeSinceNs: number
}

// Truth, in columns: CLOCK_MONOTONIC nanoseconds, the clock that every process of this machine shares. The tokens of an event are made
// evenly from `sinceNs` to when it is sent.
const truth = {
  request: [] as number[],
  scheduledNs: [] as number[],
  sinceNs: [] as number[],
  actualNs: [] as number[],
  tokens: [] as number[],
}
const requests: { user: string; receivedNs: number; firstNs?: number; lastNs?: number; tokens: number; endNs?: number }[] = []
const running: (Running | undefined)[] = Array.from({ length: slots })
const waiting: Running[] = []
let generated = 0

const WORDS = Array.from({ length: 4096 }, (_, index) => ` ${((index * 2_654_435_761) >>> 0).toString(36).slice(0, 4)}`)
const framed = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

function chunk(stream: Running, tokens: number, finished: boolean): string {
  stream.random = (Math.imul(stream.random, 1_664_525) + 1_013_904_223) >>> 0
  const word = WORDS[stream.random >>> 20] as string
  const finish = finished ? '"length"' : 'null'
  const usageText = stream.continuous ? usageOf(tokens) : ''
  return `data: ${stream.head}"choices":[{"index":0,"delta":{"content":"${word}"},"logprobs":null,"finish_reason":${finish},"token_ids":null}]${usageText}}\n\n`
}

const usageOf = (tokens: number): string =>
  `,"usage":{"prompt_tokens":128,"total_tokens":${128 + tokens},"completion_tokens":${tokens}}`

const scratch = Buffer.alloc(64 * 1024)

/** Half the cost of socket.write, so that the stand-in isn't what a ceiling test measures; what the kernel won't take goes the usual way. */
function put(socket: Socket, text: string): void {
  // oxlint-disable-next-line no-underscore-dangle
  const { fd } = (socket as unknown as { _handle: { fd: number } | null })._handle ?? { fd: -1 }
  if (fd < 0 || socket.writableLength > 0) {
    socket.write(text, 'latin1')
    return
  }
  const length = scratch.write(text, 'latin1')
  let written = 0
  try {
    written = writeSync(fd, scratch, 0, length)
  } catch {
    // EAGAIN, or a connection that has just gone
  }
  if (written < length) socket.write(Buffer.from(scratch.subarray(written, length)))
}

function begin(stream: Running): void {
  running[stream.slot] = stream
  stream.head = `{"id":"chatcmpl-${stream.request.toString(16).padStart(32, 'a')}","object":"chat.completion.chunk","created":1796000000,"model":"truth",`
}

function send(stream: Running, scheduledNs: number): void {
  const entry = requests[stream.request] as (typeof requests)[number]
  const tokens = Math.min(tokensPerEvent, stream.maxTokens - stream.sentTokens)
  const isFirst = stream.sentTokens === 0
  stream.sentTokens += tokens
  const finished = stream.sentTokens >= stream.maxTokens
  let bytes = framed(chunk(stream, stream.sentTokens, finished))
  const actualNs = nowNs()
  if (isFirst) {
    const role = `data: ${stream.head}"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]${stream.continuous ? usageOf(0) : ''}}\n\n`
    bytes = framed(role) + bytes
    entry.firstNs = actualNs
  }
  if (finished) {
    const last = usage === 'none' ? '' : `data: ${stream.head}"choices":[]${usageOf(stream.sentTokens)}}\n\n`
    bytes += `${framed(`${last}data: [DONE]\n\n`)}0\r\n\r\n`
  }
  put(stream.socket, bytes)
  // The first event's began one interval ago; of events that had to wait and are sent together, all began when the last one before was sent.
  if (isFirst) stream.madeSinceNs = actualNs - intervalNs
  else if (actualNs - (entry.lastNs ?? 0) > intervalNs / 4) stream.madeSinceNs = entry.lastNs ?? 0
  truth.request.push(stream.request)
  truth.scheduledNs.push(scheduledNs)
  truth.sinceNs.push(stream.madeSinceNs)
  truth.actualNs.push(actualNs)
  truth.tokens.push(tokens)
  generated += tokens
  entry.lastNs = actualNs
  entry.tokens = stream.sentTokens
  if (finished) leave(stream, actualNs)
}

function leave(stream: Running, atNs: number): void {
  const entry = requests[stream.request]
  if (entry) entry.endNs = atNs
  const queued = waiting.indexOf(stream)
  if (queued >= 0) waiting.splice(queued, 1)
  if (running[stream.slot] !== stream) return
  running[stream.slot] = undefined
  const next = waiting.shift()
  if (next) {
    next.slot = stream.slot
    begin(next)
  }
}

// One cursor walks over all places of all steps in the order of their times: an absolute schedule, whatever a tick was late.
const epochNs = nowNs() + 50e6
let step = 0
let place = 0
let scheduled = 0

function tick(): void {
  const now = nowNs()
  for (;;) {
    const dueNs = epochNs + step * intervalNs + (phase === 'spread' ? (place / slots) * intervalNs : 0)
    if (dueNs > now) break
    const stream = running[place]
    if (stream && dueNs >= stream.firstDueNs) {
      scheduled += 1
      send(stream, dueNs)
    }
    place += 1
    if (place === slots) {
      place = 0
      step += 1
    }
    // The sockets' own events must be served too when the schedule can't be kept.
    if (scheduled % 512 === 511 && nowNs() - now > 5e6) {
      scheduled += 1
      setImmediate(tick)
      return
    }
  }
  setTimeout(tick, 1)
}
setTimeout(tick, 1)

function json(socket: Socket, value: unknown, type = 'application/json'): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  socket.write(
    `HTTP/1.1 200 OK\r\nserver: truth\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

const busy = (): number => running.filter((stream) => stream !== undefined).length
const metrics = (): string =>
  [
    `vllm:num_requests_running{engine="0",model_name="truth"} ${busy()}`,
    `vllm:num_requests_waiting{engine="0",model_name="truth"} ${waiting.length}`,
    `vllm:kv_cache_usage_perc{engine="0",model_name="truth"} 0.1`,
    `vllm:generation_tokens_total{engine="0",model_name="truth"} ${generated}`,
    `vllm:cache_config_info{engine="0",block_size="16",kv_cache_size_tokens="100000000"} 1`,
    '',
  ].join('\n')

function textOf(body: { messages?: { content: string }[]; prompt?: string }): string {
  return body.messages ? body.messages.map((message) => message.content).join('\n') : (body.prompt ?? '')
}

function answer(socket: Socket, path: string, body: Buffer): void {
  if (path === '/v1/chat/completions' || path === '/v1/completions') {
    const receivedNs = nowNs()
    const fields =
      body.toString('latin1', Math.max(0, body.length - 600)) + body.toString('latin1', 0, Math.min(200, body.length))
    const request = requests.length
    const user = /"user":"([^"]*)"/.exec(fields)?.[1] ?? ''
    requests.push({ user, receivedNs, tokens: 0 })
    const slot = running.indexOf(undefined)
    const maxTokens = Number(/"max_tokens":(\d+)/.exec(fields)?.[1] ?? 16)
    const stream = {
      request,
      socket,
      slot,
      firstDueNs: receivedNs + ttftMs * 1e6,
      maxTokens,
      sentTokens: 0,
      head: '',
      random: request * 7919 + 1,
      continuous: usage === 'continuous' && /"continuous_usage_stats":\s*true/.test(fields),
      madeSinceNs: 0,
    }
    socket.write(
      'HTTP/1.1 200 OK\r\nserver: truth\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n',
    )
    if (slot < 0) waiting.push(stream)
    else begin(stream)
    socket.once('close', () => leave(stream, nowNs()))
  } else if (path === '/v1/models')
    json(socket, { object: 'list', data: [{ id: 'truth', object: 'model', root: 'truth', max_model_len: 1_048_576 }] })
  else if (path === '/version') json(socket, { version: '0.33.0' })
  else if (path === '/metrics') json(socket, metrics(), 'text/plain; version=0.0.4')
  else if (path === '/tokenize') {
    const words = textOf(JSON.parse(body.toString())).match(/\s?\w+|[^\w\s]/g) ?? []
    json(socket, { count: words.length + 12, max_model_len: 1_048_576, tokens: words.map((word) => word.length) })
  } else if (path === '/truth')
    json(socket, { ...truth, requests, startedWallMs, wallToMonotonicNs, intervalNs, generated, cpu: process.cpuUsage() })
  else json(socket, '')
}

const server = createServer({ noDelay: true }, (socket) => {
  // One connection carries many requests.
  socket.setMaxListeners(0)
  let head = ''
  let bodies: Buffer[] = []
  let missing = 0
  socket.on('error', () => undefined)
  socket.on('data', (data) => {
    let rest: Buffer = data
    while (rest.length > 0) {
      if (missing === 0 && bodies.length === 0) {
        head += rest.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        rest = rest.subarray(rest.length - (head.length - end - 4))
        head = head.slice(0, end)
        missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      }
      const part = rest.subarray(0, missing)
      bodies.push(part)
      missing -= part.length
      rest = rest.subarray(part.length)
      if (missing === 0) {
        const body = Buffer.concat(bodies)
        bodies = []
        const path = head.split(' ', 2)[1] ?? '/'
        head = ''
        answer(socket, path, body)
      }
    }
  })
})
server.listen(settings.port ?? 0, '127.0.0.1', () => {
  const address = server.address()
  console.log(JSON.stringify({ port: typeof address === 'object' && address !== null ? address.port : 0 }))
})
process.stdin.resume().on('end', () => process.exit(0))
