import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Engine } from '../replay/engine.ts'
import { createTokenText } from '../replay/text.ts'
import { FAULT_MIN_TOKENS } from '../fault.ts'
import type { Fault } from '../fault.ts'
import type { CompletionRequest } from './completion-request.ts'
import { createEventWriter } from './event-writer.ts'

interface GenerateOptions {
  engine: Engine
  headers: Record<string, string>
  servedName: string
  reasoning: boolean
  promptTokensDetails: boolean
  fault: Fault | undefined
  /** The engine dies while it serves (fault `die_mid_stream`). */
  onFatal(): void
}

/** A model that thinks does so for the first part of its answer. */
const REASONING_TOKENS = 512
/** Without ignore_eos an answer ends between these two lengths. */
const NATURAL_TOKENS = { min: 200, spread: 700 }

let seed = 0

/** Answers one completion; resolves when its last byte has been handed to the socket or the client has gone. */
export function generate(
  request: CompletionRequest,
  arrivalMs: number,
  response: ServerResponse,
  options: GenerateOptions,
): void {
  seed += 1
  if (request.stream) streamAnswer(request, arrivalMs, response, options)
  else wholeAnswer(request, arrivalMs, response, options)
}

function engineRequest(request: CompletionRequest, arrivalMs: number) {
  const natural = NATURAL_TOKENS.min + ((request.prompt.tokens * 7919 + seed * 104_729) % NATURAL_TOKENS.spread)
  return {
    arrivalMs,
    promptTokens: request.prompt.tokens,
    blocks: request.prompt.blocks,
    maxTokens: request.maxTokens,
    stopAtTokens: request.ignoreEos ? Infinity : natural,
  }
}

function cachedDetails(options: GenerateOptions, cachedTokens: number): string {
  return options.promptTokensDetails ? `,"prompt_tokens_details":{"cached_tokens":${cachedTokens}}` : ''
}

/** JSON of a name with everything beyond ASCII escaped, so that its length in characters is its length in bytes. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function streamAnswer(request: CompletionRequest, arrivalMs: number, response: ServerResponse, options: GenerateOptions): void {
  const { engine } = options
  const fault = request.maxTokens >= FAULT_MIN_TOKENS ? options.fault : undefined
  const usage = options.fault?.name !== 'no_usage'
  const writer = createEventWriter({
    response,
    headers: options.headers,
    chat: request.chat,
    id: `${request.chat ? 'chatcmpl' : 'cmpl'}-${randomUUID().replaceAll('-', '')}`,
    modelJson: asciiJson(request.model ?? options.servedName),
    promptTokens: request.prompt.tokens,
    includeUsage: request.includeUsage && usage,
    continuousUsage: request.continuousUsage && usage,
    usageDetails: () => cachedDetails(options, submitted.cachedTokens),
    reasoningTokens: request.chat && options.reasoning ? REASONING_TOKENS : 0,
    text: createTokenText(seed),
  })
  let events = 0
  let ended = false
  const submitted = engine.submit({
    ...engineRequest(request, arrivalMs),
    onTokens(tokens, completionTokens, _dueMs, looping, finish) {
      if (ended) return
      events += 1
      if (fault && events > fault.amount && breakStream(fault)) {
        ended = true
        return
      }
      writer.tokens(tokens, completionTokens, looping, finish)
      if (finish) ended = true
    },
  })
  response.on('close', () => {
    ended = true
    submitted.abort(engine.now())
  })

  function breakStream(what: Fault): boolean {
    if (what.name === 'cut') response.socket?.destroy()
    else if (what.name === 'error_event') {
      writer.fail('EngineCore encountered an issue. See stack trace (above) for the root cause.')
      setImmediate(() => submitted.abort(engine.now()))
    } else if (what.name === 'die_mid_stream') options.onFatal()
    else return false
    return true
  }
}

function wholeAnswer(request: CompletionRequest, arrivalMs: number, response: ServerResponse, options: GenerateOptions): void {
  const { engine } = options
  const tokenText = createTokenText(seed)
  const created = Math.floor(Date.now() / 1000)
  let text = ''
  const submitted = engine.submit({
    ...engineRequest(request, arrivalMs),
    onTokens(tokens, completionTokens, _dueMs, looping, finish) {
      text += tokenText.next(tokens, looping)
      if (!finish || response.destroyed) return
      const promptTokens = request.prompt.tokens
      const message = request.chat
        ? `"message":{"role":"assistant","content":${JSON.stringify(text)}}`
        : `"text":${JSON.stringify(text)}`
      const usage =
        `{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens + completionTokens},` +
        `"completion_tokens":${completionTokens}${cachedDetails(options, submitted.cachedTokens)}}`
      response.writeHead(200, { 'content-type': 'application/json', ...options.headers })
      response.end(
        `{"id":"${request.chat ? 'chatcmpl' : 'cmpl'}-${randomUUID().replaceAll('-', '')}",` +
          `"object":"${request.chat ? 'chat.completion' : 'text_completion'}","created":${created},` +
          `"model":${asciiJson(request.model ?? options.servedName)},"choices":[{"index":0,${message},"logprobs":null,` +
          `"finish_reason":"${finish}","stop_reason":null}],"usage":${usage}}`,
      )
    },
  })
  response.on('close', () => submitted.abort(engine.now()))
}
