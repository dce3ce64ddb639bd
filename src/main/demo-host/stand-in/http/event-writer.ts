import type { ServerResponse } from 'node:http'
import type { TokenText } from '../replay/text.ts'

interface EventWriterOptions {
  response: ServerResponse
  headers: Record<string, string>
  chat: boolean
  id: string
  /** Already quoted for JSON, ASCII only. */
  modelJson: string
  promptTokens: number
  continuousUsage: boolean
  includeUsage: boolean
  /** Appended to the last usage: cached tokens, where the server was told to report them. */
  usageDetails: () => string
  /** Chat only: so many tokens go out as `reasoning` before the content begins. */
  reasoningTokens: number
  text: TokenText
}

/** Writes one request's events. One write to the socket for each call; strings are built from parts made once. */
interface EventWriter {
  tokens(tokens: number, completionTokens: number, looping: boolean, finish: string | undefined): void
  /** An error event in the running stream, then its end. */
  fail(message: string): void
}

/** A reader this far behind gets fewer, larger events. */
const MAX_UNSENT_BYTES = 1 << 20

export function createEventWriter(options: EventWriterOptions): EventWriter {
  const { response, chat, promptTokens, text } = options
  const socket = response.socket
  const created = Math.floor(Date.now() / 1000)
  const kind = chat ? 'chat.completion.chunk' : 'text_completion'
  const head = `data: {"id":"${options.id}","object":"${kind}","created":${created},"model":${options.modelJson},"choices":[`
  const open = {
    reasoning: `${head}{"index":0,"delta":{"reasoning":"`,
    content: `${head}{"index":0,"delta":{"content":"`,
    text: `${head}{"index":0,"text":"`,
  }
  const afterText = chat ? '"},"logprobs":null,"finish_reason":' : '","logprobs":null,"finish_reason":'
  const afterFinish = chat ? ',"token_ids":null}]' : ',"stop_reason":null,"token_ids":null}]'
  const usageStart = `,"usage":{"prompt_tokens":${promptTokens},"total_tokens":`
  let started = false
  let unsentTokens = 0
  let completion = 0

  const usage = (tokens: number, details = '') => `${usageStart}${promptTokens + tokens},"completion_tokens":${tokens}${details}}`

  const delta = (opening: string, content: string, finish: string | undefined, tokens: number) =>
    `${opening}${content}${afterText}${finish ? `"${finish}"` : 'null'}${afterFinish}${options.continuousUsage ? usage(tokens) : ''}}\n\n`

  function output(tokens: number, looping: boolean, finish: string | undefined): string {
    const before = completion
    completion += tokens
    if (!chat) return delta(open.text, text.next(tokens, looping), finish, completion)
    const reasoning = Math.max(0, Math.min(tokens, options.reasoningTokens - before))
    if (reasoning === 0) return delta(open.content, text.next(tokens, looping), finish, completion)
    if (reasoning === tokens) return delta(open.reasoning, text.next(tokens, looping), finish, completion)
    return (
      delta(open.reasoning, text.next(reasoning, looping), undefined, before + reasoning) +
      delta(open.content, text.next(tokens - reasoning, looping), finish, completion)
    )
  }

  function start(): string {
    started = true
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...options.headers })
    response.flushHeaders()
    if (!chat) return ''
    return `${head}{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]${options.continuousUsage ? usage(0) : ''}}\n\n`
  }

  const ending = () => {
    const last = options.includeUsage ? `${head}]${usage(completion, options.usageDetails())}}\n\n` : ''
    return `${last}data: [DONE]\n\n`
  }

  /** Straight to the socket, in HTTP's chunk form: response.write costs three times as much for each small event. */
  function write(payload: string, end: boolean): void {
    if (!socket || socket.destroyed) return
    const framed = response.chunkedEncoding ? `${payload.length.toString(16)}\r\n${payload}\r\n` : payload
    socket.write(framed, 'latin1')
    if (end) response.end()
  }

  return {
    tokens(tokens, _completionTokens, looping, finish) {
      unsentTokens += tokens
      if (!finish && started && (socket?.writableLength ?? 0) > MAX_UNSENT_BYTES) return
      const sending = unsentTokens
      unsentTokens = 0
      if (started && !finish) {
        write(output(sending, looping, undefined), false)
        return
      }
      socket?.cork()
      const opening = started ? '' : start()
      write(opening + output(sending, looping, finish) + (finish ? ending() : ''), finish !== undefined)
      socket?.uncork()
    },
    fail(message) {
      const error = JSON.stringify({ error: { message, type: 'InternalServerError', param: null, code: 500 } })
      write(`${started ? '' : start()}data: ${error}\n\ndata: [DONE]\n\n`, true)
    },
  }
}
