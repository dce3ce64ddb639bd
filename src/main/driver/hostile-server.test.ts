import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { type SpoolLine, spoolLineSchema } from '../../shared/model/spool.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
const MIB = 1024 * 1024
const MOST_MIB = 250
const PLAN = { contexts: [0], concurrency: [2], seconds: 0.5, settleSeconds: 0.05, maxOutputTokens: 100 }

type Answer = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>
type Path = '/v1/models' | '/metrics' | '/tokenize' | '/v1/chat/completions'

const json =
  (body: unknown): Answer =>
  (response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  }

/** Writes the pieces for as long as the driver reads them. */
async function pour(
  response: ServerResponse,
  piece: (index: number) => string | Buffer,
  totalBytes = Number.POSITIVE_INFINITY,
): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  const gone = once(response, 'close')
  for (let sent = 0, index = 0; sent < totalBytes && !response.destroyed; index += 1) {
    const data = piece(index)
    sent += data.length
    if (!response.write(data)) await Promise.race([once(response, 'drain', { signal }).catch(() => undefined), gone])
    else if (index % 16 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  waiting.abort()
  response.end()
}

const stream =
  (piece: (index: number) => string): Answer =>
  async (response) => {
    response.setHeader('content-type', 'text/event-stream')
    await pour(response, piece)
  }
const event = (text: string, tokens: number) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content: text } }], usage: { prompt_tokens: 9, completion_tokens: tokens } })}\n\n`

const HONEST: Record<Path, Answer> = {
  '/v1/models': json({ object: 'list', data: [{ id: 'm', max_model_len: 10_000 }] }),
  '/metrics': (response) => void response.end('vllm:num_requests_running{engine="0"} 0\n'),
  '/tokenize': json({ count: 9, max_model_len: 10_000, tokens: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
  '/v1/chat/completions': async (response) => {
    response.setHeader('content-type', 'text/event-stream')
    for (let token = 1; token <= 100; token += 1) {
      if (response.destroyed) return
      response.write(event(`word${String(token)} `, token))
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    response.end('data: [DONE]\n\n')
  },
}

/** What the driver said and how much memory it took at most, with a server that answers one path in its own way. */
async function drive({ onTestFinished }: TestContext, path: Path, answer: Answer) {
  const answers = { ...HONEST, [path]: answer }
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    request.resume().on('end', () => {
      const given = answers[(request.url ?? '') as Path]
      if (given === undefined) response.writeHead(404).end()
      else void Promise.resolve(given(response, request)).catch(() => undefined)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-hostile-'))
  const { port } = server.address() as AddressInfo
  const target = { baseUrl: `http://127.0.0.1:${String(port)}` }
  const job = { schema: 'speedgrid.job/1', runId: 'run', epoch: 1, plan: PLAN, target, place: 'host' }
  writeFileSync(join(folder, 'job.json'), JSON.stringify(job))
  const child = spawn(process.execPath, [MAIN, folder], { stdio: ['pipe', 'ignore', 'pipe'] })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.end('{"kind":"secret"}\n')
  let mostMiB = 0
  const look = setInterval(() => {
    try {
      const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(child.pid)}/status`, 'utf8')) ?? []
      // A process that has ended, and was not waited for yet, has no memory.
      if (kib !== undefined) mostMiB = Math.max(mostMiB, Number(kib) / 1024)
    } catch {
      // it has ended
    }
  }, 10)
  await new Promise((resolve) => child.on('close', resolve))
  clearInterval(look)
  const lines = readFileSync(join(folder, 'spool.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): SpoolLine => spoolLineSchema.parse(JSON.parse(line)))
  const reasons = lines.flatMap((line) => {
    if (line.kind === 'attempt') return [line.record.reason ?? '']
    if (line.kind === 'end') return [line.reason ?? '', line.error?.cause ?? '', ...(line.error?.evidence ?? [])]
    return []
  })
  return { end: lines.at(-1), reasons: reasons.join('\n'), mostMiB, stderr }
}

const CASES: { name: string; path: Path; answer: Answer; says?: RegExp }[] = [
  {
    name: 'events without a blank line',
    path: '/v1/chat/completions',
    answer: stream(() => `data: ${'x'.repeat(60_000)}\n`),
    says: /an event of the stream is longer than 1 MiB/,
  },
  {
    name: 'a line without an end',
    path: '/v1/chat/completions',
    answer: stream(() => 'x'.repeat(60_000)),
    says: /a line of the event stream is longer than 1 MiB/,
  },
  {
    name: 'a stream that never ends',
    path: '/v1/chat/completions',
    answer: stream((index) => event(`w${String(index)} `, Math.min(100, index))),
    says: /the server goes on after \d+ events, where (?:1 token was|\d+ tokens were) asked for/,
  },
  {
    name: 'more tokens than were asked for',
    path: '/v1/chat/completions',
    answer: stream((index) => event(`w${String(index)} `, index * 50)),
    says: /the server goes on after \d+ tokens/,
  },
  {
    name: 'comments for ever',
    path: '/v1/chat/completions',
    answer: stream(() => `: ${'still here '.repeat(5000)}\n\n`),
    says: /the server goes on after \d+ bytes/,
  },
  {
    name: 'an event that nests without end',
    path: '/v1/chat/completions',
    answer: stream(() => `data: ${'['.repeat(500_000)}\n\n`),
    says: /an event that is not JSON/,
  },
  {
    name: 'counts that no counter reaches',
    path: '/v1/chat/completions',
    answer: stream(
      (index) =>
        `data: {"choices":[{"delta":{"content":"w${String(index)}"}}],"usage":{"completion_tokens":1e300,"prompt_tokens":1e300}}\n\n`,
    ),
    says: /the server goes on after/,
  },
  {
    name: '60 MB of models',
    path: '/v1/models',
    answer: (response) => pour(response, () => `{"id":"${'m'.repeat(50_000)}"},`, 60 * MIB),
    says: /the answer to GET \/v1\/models is longer than 4194304 bytes/,
  },
  {
    name: 'models one byte at a time',
    path: '/v1/models',
    answer: (response) => pour(response, () => ' ', 6 * MIB),
    says: /\/v1\/models/,
  },
  {
    name: 'a list that nests without end',
    path: '/v1/models',
    answer: (response) => pour(response, () => '['.repeat(100_000), 4_000_000),
    says: /no JSON/,
  },
  {
    name: 'a redirect to itself',
    path: '/v1/models',
    answer: (response) => void response.writeHead(307, { location: '/v1/models' }).end(),
    says: /HTTP 307/,
  },
  {
    name: 'headers without end',
    path: '/v1/models',
    answer: (response) => {
      const { socket } = response
      socket?.write('HTTP/1.1 200 OK\r\n')
      const more = () => {
        for (let room = true; room; ) room = socket?.write(`x-${'a'.repeat(1000)}: ${'b'.repeat(8000)}\r\n`) ?? false
      }
      socket?.on('drain', more)
      more()
    },
    says: /overflow|server/i,
  },
  { name: '60 MB of token ids', path: '/tokenize', answer: (response) => pour(response, () => '123456,'.repeat(9000), 60 * MIB) },
  {
    name: '60 MB of metrics',
    path: '/metrics',
    answer: (response) => pour(response, (index) => `vllm:x{a="${String(index)}"} 1\n`.repeat(2000), 60 * MIB),
  },
  {
    name: 'a label of 50 MB',
    path: '/metrics',
    answer: async (response) => {
      response.write('vllm:cache_config_info{engine="0",x="')
      await pour(response, () => '\\"'.repeat(30_000), 50 * MIB)
    },
  },
  {
    name: 'a label of 3 MB',
    path: '/metrics',
    answer: (response) =>
      void response.end(`vllm:cache_config_info{engine="0",x="${'\\"'.repeat(1_500_000)}"} 1\nvllm:num_requests_running 0\n`),
  },
]

describe('a server that sends what none should', () => {
  it('an honest one is measured', async (context) => {
    const { end, mostMiB } = await drive(context, '/tokenize', HONEST['/tokenize'])
    expect(end).toMatchObject({ kind: 'end', state: 'finished' })
    expect(mostMiB).toBeLessThan(MOST_MIB)
  })

  it.for(CASES)('$name', { timeout: 120_000 }, async ({ path, answer, says }, context) => {
    const { end, reasons, mostMiB, stderr } = await drive(context, path, answer)
    expect(end?.kind, stderr).toBe('end')
    if (says !== undefined) expect(reasons).toMatch(says)
    expect(mostMiB).toBeGreaterThan(20)
    expect(mostMiB).toBeLessThan(MOST_MIB)
  })
})
