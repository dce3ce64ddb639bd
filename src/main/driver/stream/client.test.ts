import { createServer, type Server, type Socket } from 'node:net'
import http from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createDriverClient } from './client.ts'
import { patienceMs } from './stream-limits.ts'
import type { DriverClient, LoopFinding, OutputEvent } from './types.ts'

const closers: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function listen(server: Server | http.Server, where: number | string = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) =>
    typeof where === 'string' ? server.listen(where, resolve) : server.listen(where, '127.0.0.1', resolve),
  )
  closers.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function client(port: number, options: { apiKey?: string; socketPath?: string; silenceMs?: number } = {}): DriverClient {
  const made = createDriverClient({ baseUrl: `http://127.0.0.1:${port}`, ...options })
  closers.push(() => made.dispose())
  return made
}

const body = Buffer.from('{"model":"qwen"}')
const chunk = (delta: object, tokens: number | undefined, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...(tokens === undefined ? {} : { usage: { prompt_tokens: 8, total_tokens: 8 + tokens, completion_tokens: tokens } }) })}\n\n`
const finalUsage = (tokens: number): string =>
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 8, completion_tokens: tokens } })}\n\n`
const DONE = 'data: [DONE]\n\n'

/** A server that answers every request with these parts of an event stream, one write each. */
async function streamServer(parts: string[], after: 'end' | 'cut' | 'hang' = 'end'): Promise<number> {
  return listen(
    http.createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
        void (async () => {
          for (const part of parts) {
            response.write(part)
            await new Promise((resolve) => setImmediate(resolve))
          }
          if (after === 'end') response.end()
          if (after === 'cut') response.destroy()
        })()
      })
    }),
  )
}

async function answerServer(status: number, contentType: string, text: string): Promise<number> {
  return listen(
    http.createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status, { 'content-type': contentType }).end(text)),
    ),
  )
}

describe('stream', () => {
  test('keeps the times and counts of a whole request', async () => {
    const parts = [
      chunk({ role: 'assistant', content: '' }, 0),
      chunk({ content: 'Hel' }, 3),
      chunk({ content: 'lo' }, 5),
      chunk({ reasoning: 'hm' }, 6),
      chunk({ content: ' you' }, 10, 'length'),
      finalUsage(10),
      DONE,
    ]
    const events: OutputEvent[] = []
    const result = await client(await streamServer(parts)).stream({
      path: '/v1/chat/completions',
      body,
      onEvent: (event) => events.push(event),
    }).done
    expect(events.map((event) => [event.deltaTokens, event.completionTokens, event.first])).toEqual([
      [3, 3, true],
      [2, 5, false],
      [1, 6, false],
      [4, 10, false],
    ])
    expect(result).toMatchObject({
      completed: true,
      cancelled: false,
      outputTokens: 10,
      firstEventTokens: 3,
      events: 4,
      promptTokens: 8,
      finishReason: 'length',
      tokenSource: 'usage',
    })
    expect(result.error).toBeUndefined()
    const times = [
      result.startMs,
      result.lastByteSentMs,
      result.roleEventMs,
      result.firstEventMs,
      result.lastEventMs,
      result.endMs,
    ]
    for (let at = 1; at < times.length; at++) expect(times[at]).toBeGreaterThanOrEqual(times[at - 1] as number)
    expect(result.firstEventMs).toBe(events[0]?.atMs)
    expect(result.firstTokenMs).toBe(result.firstEventMs)
  })

  test('the role chunk never sets TTFT; tokens that a parser swallowed and a finish reason stop a prefill clock', async () => {
    const swallowed = [chunk({ role: 'assistant', content: '' }, 0), chunk({}, 1, 'length'), finalUsage(1), DONE]
    const first = await client(await streamServer(swallowed)).stream({ path: '/', body }).done
    expect(first.firstEventMs).toBeUndefined()
    expect(first.firstTokenMs).toBeGreaterThanOrEqual(first.roleEventMs as number)
    const finishOnly = [chunk({ role: 'assistant', content: '' }, undefined), chunk({}, undefined, 'length'), DONE]
    const second = await client(await streamServer(finishOnly)).stream({ path: '/', body }).done
    expect(second.firstTokenMs).toBeGreaterThanOrEqual(second.roleEventMs as number)
    expect(second.outputTokens).toBe(0)
  })

  test('counts chunks where there is no usage, and takes the sum from a final one', async () => {
    const parts = [chunk({ content: 'a' }, undefined), chunk({ content: 'b' }, undefined), finalUsage(7), DONE]
    const events: OutputEvent[] = []
    const result = await client(await streamServer(parts)).stream({ path: '/', body, onEvent: (event) => events.push(event) })
      .done
    expect(events.map((event) => event.deltaTokens)).toEqual([1, 1])
    expect(result).toMatchObject({ outputTokens: 7, tokenSource: 'events', completed: true })
  })

  test('an error event in a 200 stream fails the request', async () => {
    const parts = [chunk({ content: 'a' }, 1), 'data: {"error":{"message":"the engine died","code":500}}\n\n', DONE]
    const result = await client(await streamServer(parts, 'hang')).stream({ path: '/', body }).done
    expect(result).toMatchObject({ completed: false, outputTokens: 1, error: { kind: 'error_event' } })
    expect(result.error?.message).toContain('the engine died')
  })

  test.each(['end', 'cut'] as const)('a stream without [DONE] is cut (%s)', async (after) => {
    const result = await client(await streamServer([chunk({ content: 'a' }, 1)], after)).stream({ path: '/', body }).done
    expect(result).toMatchObject({ completed: false, error: { kind: 'cut' } })
  })

  test('finds a loop, also one that ends without [DONE]', async () => {
    const parts = Array.from({ length: 130 }, (_, index) => chunk({ content: 'the same words again and again. ' }, index + 1))
    const found: LoopFinding[] = []
    await client(await streamServer(parts.slice(0, 129), 'cut')).stream({
      path: '/',
      body,
      onLoop: (finding) => found.push(finding),
    }).done
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ channel: 'content', periodChars: 32 })
  })

  test('cancel closes the connection and is no error', async () => {
    let closed: () => void
    const gone = new Promise<void>((resolve) => (closed = resolve))
    const port = await listen(
      http.createServer((request, response) => {
        request.resume()
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(chunk({ content: 'a' }, 1))
        response.on('close', () => closed())
      }),
    )
    const started = client(port).stream({ path: '/', body, onEvent: () => started.cancel() })
    const result = await started.done
    expect(result).toMatchObject({ cancelled: true, completed: false, outputTokens: 1 })
    expect(result.error).toBeUndefined()
    await gone
  })

  test('of many asked for at once each has its own start, and one cancelled before it began is never sent', async () => {
    let requests = 0
    const port = await listen(
      http.createServer((request, response) => {
        requests += 1
        request
          .resume()
          .on('end', () =>
            response.writeHead(200, { 'content-type': 'text/event-stream' }).end(chunk({ content: 'a' }, 1) + DONE),
          )
      }),
    )
    const made = client(port)
    const all = Array.from({ length: 12 }, () => made.stream({ path: '/', body }))
    all[11]?.cancel()
    const results = await Promise.all(all.map((each) => each.done))
    const starts = results.slice(0, 11).map((result) => result.startMs)
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(new Set(starts).size).toBe(11)
    expect(results.filter((result) => result.completed)).toHaveLength(11)
    expect(results[11]).toMatchObject({ cancelled: true, events: 0 })
    expect(requests).toBe(11)
  })

  test('does not wait for a server that leaves the response open behind [DONE]', async () => {
    const result = await client(await streamServer([chunk({ content: 'a' }, 1), DONE], 'hang')).stream({ path: '/', body }).done
    expect(result.completed).toBe(true)
  })
})

describe('refusals', () => {
  test.each([
    [401, 'application/json', '{"error":"Unauthorized"}', 'unauthorized', 'Unauthorized'],
    [403, 'text/plain', 'no', 'unauthorized', 'no'],
    [404, 'application/json', '{"error":{"message":"The model `x` does not exist.","code":404}}', 'http', 'does not exist'],
    [500, 'text/plain', 'Internal Server Error', 'http', 'HTTP 500: Internal Server Error'],
    [502, 'text/html', '<html><body>Bad gateway</body></html>', 'http', 'an HTML page, so this is not an OpenAI-style server'],
    [200, 'text/html', '<!doctype html><title>hi</title>', 'http', 'an HTML page, so this is not an OpenAI-style server'],
    [200, 'application/json', '{"choices":[]}', 'protocol', 'no event stream'],
    [200, 'text/event-stream', '', 'protocol', 'no events'],
  ])('%i %s', async (status, contentType, text, kind, message) => {
    const result = await client(await answerServer(status, contentType, text)).stream({ path: '/', body }).done
    expect(result).toMatchObject({ completed: false, error: { kind, ...(kind === 'protocol' ? {} : { status }) } })
    expect(result.error?.message).toContain(message)
  })

  test('nobody listens', async () => {
    const port = await listen(createServer())
    await closers.pop()?.()
    const made = client(port)
    const result = await made.stream({ path: '/', body }).done
    expect(result.error).toMatchObject({ kind: 'connect' })
    expect(result.error?.message).toContain('refused the connection')
    await expect(made.request('GET', '/health')).rejects.toMatchObject({ code: 'server_gone' })
  })

  test('the key goes with every request and into no message', async () => {
    const seen: (string | undefined)[] = []
    const port = await listen(
      http.createServer((request, response) => {
        seen.push(request.headers.authorization)
        request
          .resume()
          .on('end', () =>
            response
              .writeHead(400)
              .end(`your key ${request.headers.authorization} is bad, ${Buffer.from('me:sk-very-secret').toString('base64')}`),
          )
      }),
    )
    const made = client(port, { apiKey: 'sk-very-secret' })
    const result = await made.stream({ path: '/', body }).done
    await made.request('GET', '/metrics')
    expect(seen).toEqual(['Bearer sk-very-secret', 'Bearer sk-very-secret'])
    expect(result.error?.message).toContain('<redacted>')
    expect(JSON.stringify(result)).not.toContain('very-secret')
    expect(JSON.stringify(result)).not.toContain(Buffer.from('me:sk-very-secret').toString('base64'))
  })
})

/** Answers the first request of a connection and cuts the connection at the second one's first byte, when `stale` says so. */
async function closingServer(answer: string): Promise<{ port: number; connections: () => number }> {
  let connections = 0
  const port = await listen(
    createServer((socket) => {
      connections += 1
      let requests = 0
      socket.on('error', () => undefined)
      socket.on('data', (data) => {
        if (!data.includes('HTTP/1.1')) return
        requests += 1
        if (requests > 1) socket.resetAndDestroy()
        else socket.write(answer)
      })
    }),
  )
  return { port, connections: () => connections }
}

describe('kept connections', () => {
  test('are used again, and one that the server closed meanwhile is replaced once', async () => {
    const stream = chunk({ content: 'a' }, 1) + DONE
    const { port, connections } = await closingServer(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${stream.length}\r\n\r\n${stream}`,
    )
    const made = client(port)
    for (let each = 0; each < 2; each++) expect(await made.stream({ path: '/', body }).done).toMatchObject({ completed: true })
    expect(connections()).toBe(2)
    for (let each = 0; each < 2; each++) expect((await made.request('GET', '/')).status).toBe(200)
    expect(connections()).toBe(4)
  })

  test('a socket file takes the place of host and port', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'speedgrid-client-'))
    closers.push(() => rm(folder, { recursive: true }))
    const socketPath = join(folder, 's')
    await listen(
      http.createServer((request, response) => response.end(request.headers.host)),
      socketPath,
    )
    const answer = await client(4321, { socketPath }).request('GET', '/version')
    expect(answer).toMatchObject({ status: 200, text: '127.0.0.1:4321' })
  })
})

describe('request', () => {
  test('sends JSON and resolves with any status', async () => {
    const port = await listen(
      http.createServer((request, response) => {
        let text = ''
        request.on('data', (part) => (text += String(part))).on('end', () => response.writeHead(418).end(text))
      }),
    )
    expect(await client(port).request('POST', '/tokenize', { json: { a: 'é' } })).toMatchObject({
      status: 418,
      text: '{"a":"é"}',
    })
  })

  test('gives up after its time-out and beyond its size', async () => {
    const port = await listen(
      http.createServer((request, response) => (request.url === '/big' ? response.end('x'.repeat(5000)) : undefined)),
    )
    const made = client(port)
    await expect(made.request('GET', '/slow', { timeoutMs: 60 })).rejects.toMatchObject({ code: 'http' })
    await expect(made.request('GET', '/big', { maxBytes: 100 })).rejects.toMatchObject({ code: 'http' })
  })

  test('a stream that falls silent is ended, one that goes on is not', async () => {
    const silent = client(await streamServer([chunk({ content: 'a' }, 1)], 'hang'), { silenceMs: 300 })
    const result = await silent.stream({ path: '/', body }).done
    expect(result).toMatchObject({ completed: false, outputTokens: 1, error: { kind: 'cut' } })
    expect(result.error?.message).toMatch(/sent nothing for \d+ s$/)
  })

  test('nothing is cut for a prompt that takes long: the longer the prompts before it, the longer it may be silent', () => {
    expect(patienceMs(undefined, 0)).toBe(30 * 60_000)
    // 64 prompts of 256K tokens at 20 tokens a second
    expect(patienceMs(undefined, 64 * 1_000_000)).toBeGreaterThan((64 * 250_000 * 1000) / 20)
  })

  test('dispose ends what is in flight', async () => {
    const made = client(await streamServer([chunk({ content: 'a' }, 1)], 'hang'))
    const started = made.stream({ path: '/', body })
    const asked = made.request('GET', '/x')
    const refused = expect(asked).rejects.toMatchObject({ code: 'interrupted' })
    made.dispose()
    expect(await started.done).toMatchObject({ cancelled: true })
    await refused
  })
})
