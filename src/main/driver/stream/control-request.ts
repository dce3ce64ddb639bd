import type { IncomingMessage } from 'node:http'
import { createByteCollector } from '../../../shared/bytes/index.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { fileLimit, isFileLimit } from '../../../shared/model/file-limit.ts'
import { watchConnect, type Connections, type Purpose } from './connection.ts'
import { connectionMessage, NO_CONNECTION } from './http-errors.ts'
import type { HttpAnswer } from './types.ts'

const DEFAULT_TIMEOUT_MS = 30_000
/** A list of models with every adapter, or the metrics of a server with many engines, has some hundred KiB. */
const ANSWER_BYTES = 4 * 1024 * 1024
/** Token ids of a text: at most one a character, and seven digits each. */
const ANSWER_BYTES_PER_BODY_BYTE = 8

interface ControlRequestOptions {
  json?: unknown
  timeoutMs?: number
  maxBytes?: number
  signal?: AbortSignal
}

/**
 * One request that is answered as a whole. Any status resolves. Rejects with SpeedgridErrors: `server_gone` when the connection was
 * refused or cut, `file_limit` where this machine has no file left for it, `http` on a time-out or an answer beyond `maxBytes`
 * (default 4 MiB, and eight times the body that was sent).
 */
export async function controlRequest(
  connections: Connections,
  method: 'GET' | 'POST',
  path: string,
  options: ControlRequestOptions = {},
): Promise<HttpAnswer> {
  try {
    return await attempt(connections, method, path, options, 'control')
  } catch (error) {
    if (error !== STALE) throw error
    return await attempt(connections, method, path, options, 'fresh')
  }
}

/** A kept connection that the server had closed meanwhile: nothing of an answer had come. */
const STALE = new Error('stale connection')

function attempt(
  connections: Connections,
  method: 'GET' | 'POST',
  path: string,
  { json, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes: givenMaxBytes, signal }: ControlRequestOptions,
  purpose: Purpose,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now()
    const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json))
    const maxBytes = givenMaxBytes ?? ANSWER_BYTES + ANSWER_BYTES_PER_BODY_BYTE * (body?.length ?? 0)
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }
    const request = connections.open(method, path, headers, purpose)
    const isConnected = watchConnect(request)
    let answered = false
    const timer = setTimeout(() => {
      fail('http', `${connections.where} did not answer ${method} ${path} within ${timeoutMs / 1000} s`)
    }, timeoutMs)
    const aborted = (): void => fail('interrupted', `${method} ${path} was given up`)
    signal?.addEventListener('abort', aborted)

    function settle(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
    }

    function fail(code: 'http' | 'server_gone' | 'interrupted', message: string, from?: unknown): void {
      settle()
      reject(new SpeedgridError(code, connections.redact(message), { from }))
      request.destroy()
    }

    function read(response: IncomingMessage): void {
      const held = createByteCollector(maxBytes)
      response.on('data', (chunk: Buffer) => {
        if (!held.add(chunk)) fail('http', `the answer to ${method} ${path} is longer than ${maxBytes} bytes`)
      })
      response.on('error', (error) => fail('server_gone', connectionMessage(connections.where, error, true), error))
      response.on('end', () => {
        const endMs = performance.now()
        settle()
        const text = held.take()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, latencyMs: endMs - startMs, endMs })
      })
    }

    request.on('response', (response) => {
      answered = true
      read(response)
    })
    request.on('error', (error) => {
      if (answered) return
      if (request.reusedSocket) {
        settle()
        reject(STALE)
        return
      }
      if (isFileLimit(error)) {
        settle()
        reject(fileLimit(error, NO_CONNECTION))
        return
      }
      fail('server_gone', connectionMessage(connections.where, error, isConnected()), error)
    })
    if (signal?.aborted) aborted()
    request.end(body)
  })
}
