import { timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Engine } from '../replay/engine.ts'
import type { Fault } from '../fault.ts'
import { createBodyMemo, readBody } from './body.ts'
import { parseCompletion, parseObject, readPrompt } from './completion-request.ts'
import { generate } from './generate.ts'
import { renderMetrics } from './metrics.ts'
import { tokenIds } from './prompt.ts'
import { RequestError } from './request-error.ts'

export interface ApiOptions {
  engine: Engine
  machine: string
  version: string
  /** `root` of /v1/models. */
  model: string
  servedNames: readonly string[]
  maxModelLen: number
  kvTokens: number
  gpuMemoryUtilization: number
  speculative: boolean
  reasoning: boolean
  promptTokensDetails: boolean
  disableLogStats: boolean
  apiKeys: readonly string[]
  fault: Fault | undefined
  onFatal(): void
}

const GUARDED = /^\/(v1|v2|inference|cohere)(\/|$)/
const KEEP_ALIVE_MS = 5000
/** A client's clock has run for about this long when its request gets here; a published TTFT was taken by such a clock. */
const ON_THE_WAY_MS = 1

/** vLLM's HTTP front (docs/vllm.md 2 and 4). Every answer is labelled as the demo's. */
export function createApi(options: ApiOptions): Server {
  const headers = { 'x-speedgrid-demo': options.machine, server: 'uvicorn' }
  const servedName = options.servedNames[0] ?? options.model
  const limits = { servedNames: options.servedNames, maxModelLen: options.maxModelLen }
  const parsers = {
    '/v1/chat/completions': createBodyMemo((body) => parseCompletion(body, true, limits)),
    '/v1/completions': createBodyMemo((body) => parseCompletion(body, false, limits)),
  }
  const tokenizeBody = createBodyMemo((body) => answerTokenize(body, options.maxModelLen))
  const created = Math.floor(Date.now() / 1000)

  const json = (response: ServerResponse, status: number, body: string) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body)
  }

  async function complete(path: keyof typeof parsers, request: IncomingMessage, response: ServerResponse, arrivalMs: number) {
    const body = await readBody(request)
    if (options.fault?.name === 'http_500') throw new RequestError(500, 'Internal Server Error', 'InternalServerError')
    if (options.fault?.name === 'html') {
      response.writeHead(200, { 'content-type': 'text/html', ...headers })
      response.end('<!doctype html><html><head><title>Gateway</title></head><body><h1>Welcome</h1></body></html>')
      return
    }
    generate(parsers[path](body), arrivalMs, response, { ...options, headers, servedName })
  }

  const gets: Record<string, (response: ServerResponse) => void> = {
    '/health': (response) => response.writeHead(200, { 'content-length': '0', ...headers }).end(),
    '/ping': (response) => response.writeHead(200, { 'content-length': '0', ...headers }).end(),
    '/version': (response) => json(response, 200, JSON.stringify({ version: options.version })),
    '/load': (response) => json(response, 200, JSON.stringify({ server_load: options.engine.scheduler.running })),
    '/v1/models': (response) => json(response, 200, modelList(options, created)),
    '/metrics': (response) => {
      const text = options.disableLogStats ? '' : renderMetrics({ ...options, scheduler: options.engine.scheduler, servedName })
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', ...headers }).end(text)
    },
  }

  async function route(request: IncomingMessage, response: ServerResponse, arrivalMs: number): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (GUARDED.test(path) && !isAuthorized(request, options.apiKeys)) {
      request.resume()
      json(response, 401, '{"error":"Unauthorized"}')
      return
    }
    const get = gets[path]
    if (get && (request.method === 'GET' || request.method === 'HEAD')) {
      get(response)
      return
    }
    const isCompletion = path === '/v1/chat/completions' || path === '/v1/completions'
    if (!get && !isCompletion && path !== '/tokenize') throw new RequestError(404, 'Not Found')
    if (get || request.method !== 'POST') throw new RequestError(405, 'Method Not Allowed')
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      throw new RequestError(400, "Unsupported Media Type: Only 'application/json' is allowed")
    }
    if (isCompletion) await complete(path, request, response, arrivalMs)
    else json(response, 200, tokenizeBody(await readBody(request)))
  }

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true, requestTimeout: 0 }, (request, response) => {
    // The clock starts when the request arrives, so that reading and tokenizing a long prompt is inside the time to first token.
    const arrivalMs = options.engine.now() - ON_THE_WAY_MS
    route(request, response, arrivalMs).catch((error: unknown) => {
      request.resume()
      if (response.destroyed || response.headersSent) {
        response.destroy()
        return
      }
      const known = error instanceof RequestError ? error : new RequestError(500, 'Internal Server Error', 'InternalServerError')
      json(response, known.status, known.body())
    })
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

function isAuthorized(request: IncomingMessage, keys: readonly string[]): boolean {
  if (keys.length === 0) return true
  const offered = Buffer.from(request.headers.authorization ?? '')
  return keys.some((key) => {
    const expected = Buffer.from(`Bearer ${key}`)
    return expected.length === offered.length && timingSafeEqual(expected, offered)
  })
}

function modelList(options: ApiOptions, created: number): string {
  const data = options.servedNames.map((id) => ({
    id,
    object: 'model',
    created,
    owned_by: 'vllm',
    root: options.model,
    parent: null,
    max_model_len: options.maxModelLen,
    permission: [],
  }))
  return JSON.stringify({ object: 'list', data })
}

function answerTokenize(body: Buffer, maxModelLen: number): string {
  const fields = parseObject(body)
  const tokens = tokenIds(readPrompt(fields, 'messages' in fields))
  return `{"count":${tokens.length},"max_model_len":${maxModelLen},"tokens":[${tokens.join(',')}],"token_strs":null}`
}
