import type { ClientRequest, IncomingMessage } from 'node:http'
import { fileLimit, isFileLimit } from '../../../shared/model/file-limit.ts'
import { watchConnect, type Connections } from './connection.ts'
import { answerError, connectionMessage, NO_CONNECTION } from './http-errors.ts'
import { createStreamReader } from './stream-reader.ts'
import { findOverrun, watchSilence } from './stream-limits.ts'
import type { StartQueue } from './start-queue.ts'
import type { InFlight, RequestResult, StreamError, StreamRequest } from './types.ts'

/** Enough of a refusal to say what it is. */
const MAX_ERROR_BYTES = 64 * 1024
/** The end of the response comes right behind [DONE]; a server that leaves it open shall not hold up the next request. */
const END_GRACE_MS = 50

/** Starts one streaming request. Timestamps are taken as the first thing in the socket's data callback. */
export function startStream(
  connections: Connections,
  starts: StartQueue,
  { path, body, maxTokens, onEvent, onLoop }: StreamRequest,
  patience: () => number,
): InFlight {
  const result: RequestResult = {
    startMs: performance.now(),
    outputTokens: 0,
    events: 0,
    completed: false,
    tokenSource: 'events',
    cancelled: false,
  }
  const reader = createStreamReader({ result, onEvent, onLoop })
  let current: ClientRequest | undefined
  let finished = false
  let bytes = 0
  let silence: ReturnType<typeof watchSilence> | undefined
  let resolveDone: (value: RequestResult) => void
  const done = new Promise<RequestResult>((resolve) => (resolveDone = resolve))

  function finish(error?: StreamError): void {
    if (finished) return
    finished = true
    silence?.dispose()
    reader.end(result.cancelled)
    if (error && !result.cancelled && !reader.done) result.error ??= error
    if (result.error) result.error.message = connections.redact(result.error.message)
    result.endMs ??= performance.now()
    result.completed = reader.done && !result.error
    // Behind the reads that are due now: when many streams end in one step, what their owners do next must not delay the others' stamps.
    setImmediate(resolveDone, result)
  }

  function readAnswer(response: IncomingMessage): void {
    const status = response.statusCode ?? 0
    const contentType = (response.headers['content-type'] ?? '').toLowerCase()
    const isStream = status === 200 && !/html|application\/json/.test(contentType)
    if (!isStream) {
      readRefusal(response, status, contentType, finish)
      return
    }
    response.on('data', (chunk: Buffer) => {
      const atMs = performance.now()
      if (finished) return
      silence?.touch(atMs)
      bytes += chunk.length
      reader.push(chunk, atMs)
      const overrun = findOverrun({ events: reader.seen, outputTokens: result.outputTokens, bytes }, maxTokens)
      if (overrun !== undefined && !reader.done) result.error ??= { kind: 'protocol', status, message: overrun }
      if (result.error) {
        finish()
        current?.destroy()
      } else if (reader.done) {
        setTimeout(giveUpOnEnd, END_GRACE_MS).unref()
      }
    })
    response.on('end', () => finish(cutError(status)))
    response.on('error', (error) => finish({ kind: 'cut', status, message: connectionMessage(connections.where, error, true) }))
  }

  function giveUpOnEnd(): void {
    if (finished) return
    finish()
    current?.destroy()
  }

  function cutError(status: number): StreamError {
    if (reader.seen === 0) return { kind: 'protocol', status, message: 'HTTP 200, but the answer held no events' }
    return { kind: 'cut', status, message: `the stream ended without [DONE] after ${result.outputTokens} tokens` }
  }

  function send(isRetry: boolean): void {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, accept: 'text/event-stream' }
    const request = connections.open('POST', path, headers, isRetry ? 'fresh' : 'stream')
    const isConnected = watchConnect(request)
    current = request
    let answered = false
    request.on('finish', () => (result.lastByteSentMs = performance.now()))
    request.on('response', (response) => {
      answered = true
      readAnswer(response)
    })
    request.on('error', (error) => {
      if (answered || finished) return
      // The server closes idle connections; one that it closed while we wrote says nothing about the server. Once.
      if (request.reusedSocket && !isRetry && !result.cancelled) {
        result.lastByteSentMs = undefined
        send(true)
        return
      }
      if (isFileLimit(error)) {
        finish({ kind: 'limit', message: fileLimit(error, NO_CONNECTION).message })
        return
      }
      const connected = isConnected()
      finish({ kind: connected ? 'cut' : 'connect', message: connectionMessage(connections.where, error, connected) })
    })
    request.end(body)
  }

  starts.enter(() => {
    if (finished) return
    result.startMs = performance.now()
    silence = watchSilence(patience, (silentMs) => {
      finish({ kind: 'cut', message: `${connections.where} sent nothing for ${Math.round(silentMs / 1000)} s` })
      current?.destroy()
    })
    send(false)
  })
  return {
    result,
    done,
    cancel() {
      if (finished) return
      result.cancelled = true
      current?.destroy()
      finish()
    },
  }
}

function readRefusal(response: IncomingMessage, status: number, contentType: string, finish: (error: StreamError) => void): void {
  const parts: Buffer[] = []
  let bytes = 0
  const conclude = (): void => finish(answerError(status, contentType, Buffer.concat(parts).toString('utf8')))
  response.on('data', (chunk: Buffer) => {
    if (bytes >= MAX_ERROR_BYTES) return
    parts.push(chunk)
    bytes += chunk.length
    if (bytes < MAX_ERROR_BYTES) return
    conclude()
    response.destroy()
  })
  response.on('end', conclude)
  response.on('error', conclude)
}
