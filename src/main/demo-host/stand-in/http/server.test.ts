import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { findMachine } from '../../machines/index.ts'
import { readFault } from '../fault.ts'
import { createEngine } from '../replay/engine.ts'
import { createPrefixCache } from '../replay/prefix-cache.ts'
import { createScheduler } from '../replay/scheduler.ts'
import { createSpeeds } from '../replay/speeds.ts'
import type { ApiOptions } from './server.ts'
import { createApi } from './server.ts'

const machine = (() => {
  const found = findMachine('h200')
  if (!found) throw new Error('no such machine')
  return found
})()
const speeds = createSpeeds(machine)
const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

async function start(changes: Partial<ApiOptions> & { faultName?: string } = {}) {
  const scheduler = createScheduler({
    speeds,
    cache: createPrefixCache(machine.kvTokens),
    kvTokens: machine.kvTokens,
    maxSequences: 1024,
    acceptanceLength: 2.2,
    draftTokens: 2,
  })
  const engine = createEngine(scheduler)
  const server = createApi({
    engine,
    machine: machine.name,
    version: machine.vllmVersion,
    model: machine.model,
    servedNames: ['qwen'],
    maxModelLen: 262_144,
    kvTokens: machine.kvTokens,
    gpuMemoryUtilization: 0.88,
    speculative: true,
    reasoning: false,
    promptTokensDetails: true,
    disableLogStats: false,
    apiKeys: [],
    fault: readFault(changes.faultName),
    onFatal: () => {},
    ...changes,
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => {
    engine.dispose()
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
  const chat = (fields: object = {}) =>
    post('/v1/chat/completions', {
      model: 'qwen',
      messages: [{ role: 'user', content: 'Tell me of towers.' }],
      max_tokens: 40,
      ignore_eos: true,
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
      ...fields,
    })
  return { url, post, chat, scheduler }
}

interface Chunk {
  object?: string
  choices: { delta?: { role?: string; content?: string; reasoning?: string }; text?: string; finish_reason: string | null }[]
  usage?: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
    prompt_tokens_details?: { cached_tokens: number }
  }
  error?: { message: string; code: number }
}

/** The events of an answer; the text must end with [DONE], and every line must be one event. */
function parse(text: string): Chunk[] {
  const events = text.split('\n\n')
  expect(events.pop()).toBe('')
  expect(events.pop()).toBe('data: [DONE]')
  return events.map((event) => JSON.parse(event.replace(/^data: /, '')) as Chunk)
}

describe('the stand-in vLLM’s stream', () => {
  it('has role chunk, several tokens a chunk, finish, usage with empty choices, [DONE], and says that it is a demo', async () => {
    const { chat } = await start()
    const response = await chat()
    expect(response.headers.get('x-speedgrid-demo')).toBe('h200')
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const chunks = parse(await response.text())
    const [role, ...rest] = chunks
    expect(role?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(role?.usage?.completion_tokens).toBe(0)
    const last = rest.pop()
    expect(last?.choices).toEqual([])
    expect(last?.usage).toMatchObject({ completion_tokens: 40, prompt_tokens_details: { cached_tokens: 0 } })
    expect(rest.map((chunk) => chunk.choices[0]?.finish_reason).filter((reason) => reason !== null)).toEqual(['length'])
    const growth = rest.map(
      (chunk, index) => (chunk.usage?.completion_tokens ?? 0) - (rest[index - 1]?.usage?.completion_tokens ?? 0),
    )
    expect(growth[0]).toBe(1)
    expect(growth.reduce((sum, tokens) => sum + tokens, 0)).toBe(40)
    expect(Math.max(...growth)).toBeGreaterThan(1)
    for (const chunk of rest) expect(chunk.choices[0]?.delta?.content?.length).toBeGreaterThan(0)
  })

  it('speaks as `reasoning` first with a reasoning parser, and reports the cached tokens of a repeated prompt', async () => {
    const { chat } = await start({ reasoning: true })
    const long = { messages: [{ role: 'user', content: 'It was said before. '.repeat(100) }] }
    await (await chat(long)).text()
    const chunks = parse(await (await chat({ ...long, max_tokens: 600 })).text())
    const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta))
    const firstContent = deltas.findIndex((delta) => delta?.content)
    expect(deltas.slice(1, firstContent).every((delta) => delta?.reasoning)).toBe(true)
    expect(deltas.slice(firstContent).every((delta) => delta?.content)).toBe(true)
    const usage = chunks.at(-1)?.usage
    expect(usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan((usage?.prompt_tokens ?? 0) - 40)
  })

  it('answers /v1/completions for a text and for token ids, and without streaming', async () => {
    const { post } = await start()
    const fields = { model: 'qwen', max_tokens: 12, ignore_eos: true }
    const stream = await post('/v1/completions', {
      ...fields,
      prompt: [5000, 5001, 5002],
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = parse(await stream.text())
    expect(chunks[0]).toMatchObject({ object: 'text_completion', choices: [{ index: 0, finish_reason: null }] })
    expect(chunks[0]?.usage).toBeUndefined()
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 12, total_tokens: 15 })
    const whole = (await (await post('/v1/completions', { ...fields, prompt: 'one two three' })).json()) as Chunk
    expect(whole).toMatchObject({ object: 'text_completion', usage: { prompt_tokens: 3, completion_tokens: 12 } })
    expect(whole.choices[0]?.text?.length).toBeGreaterThan(20)
  })

  it('counts exactly what /tokenize says, template included', async () => {
    const { post, chat } = await start()
    const messages = [
      { role: 'user', content: 'A document about 1,234 towers.\nIt ends here.' },
      { role: 'assistant', content: [{ type: 'text', text: 'I have read it.' }] },
      { role: 'user', content: 'Summarise it.' },
    ]
    const counted = (await (await post('/tokenize', { model: 'qwen', messages })).json()) as {
      count: number
      tokens: number[]
      max_model_len: number
    }
    expect(counted.tokens).toHaveLength(counted.count)
    expect(counted.max_model_len).toBe(262_144)
    const chunks = parse(await (await chat({ messages, max_tokens: 2 })).text())
    expect(chunks.at(-1)?.usage?.prompt_tokens).toBe(counted.count)
    const plain = (await (await post('/tokenize', { prompt: messages[0]?.content })).json()) as { count: number }
    expect(counted.count).toBeGreaterThan(plain.count)
  })
})

describe('the stand-in vLLM’s refusals', () => {
  it('guards /v1 and nothing else', async () => {
    const { url, chat } = await start({ apiKeys: ['k-123'] })
    const refused = await fetch(`${url}/v1/models`)
    expect([refused.status, await refused.json(), refused.headers.get('x-speedgrid-demo')]).toEqual([
      401,
      { error: 'Unauthorized' },
      'h200',
    ])
    expect((await chat()).status).toBe(401)
    for (const path of ['/health', '/version', '/metrics']) expect((await fetch(url + path)).status).toBe(200)
    const models = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer k-123' } })
    expect(await models.json()).toMatchObject({ data: [{ id: 'qwen', root: 'Qwen/Qwen3.5-2B', max_model_len: 262_144 }] })
  })

  it.each([
    ['a model it does not serve', { model: 'other' }, 404, /The model `other` does not exist/],
    [
      'more than the context holds',
      { max_tokens: 262_140 },
      400,
      /maximum context length is 262144 tokens\. However, you requested 262140 output tokens/,
    ],
    ['stream options without a stream', { stream: false }, 400, /Stream options can only be defined/],
    ['no messages', { messages: [] }, 400, /messages/],
    ['a senseless limit', { max_tokens: 0 }, 400, /max_tokens must be at least 1/],
  ])('refuses %s', async (_what, fields, status, message) => {
    const { chat } = await start()
    const response = await chat(fields)
    const body = (await response.json()) as { error: { message: string; code: number } }
    expect(response.status).toBe(status)
    expect(body.error.code).toBe(status)
    expect(body.error.message).toMatch(message)
  })

  it('refuses other content types, broken JSON, unknown paths and methods', async () => {
    const { url } = await start()
    const post = (body: string, type: string) =>
      fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers: { 'content-type': type } })
    expect((await post('{}', 'text/plain')).status).toBe(400)
    expect((await post('{', 'application/json')).status).toBe(400)
    expect((await fetch(`${url}/nothing`)).status).toBe(404)
    expect((await fetch(`${url}/v1/chat/completions`)).status).toBe(405)
  })
})

describe('the stand-in vLLM’s gauges', () => {
  const value = (text: string, name: string) => Number(new RegExp(`^vllm:${name}\\{[^}]*\\} ([\\d.e+-]+)$`, 'm').exec(text)?.[1])

  it('shows capacity, counters and requests; a cut request leaves at once', async () => {
    const { url, chat, scheduler } = await start()
    await (await chat()).text()
    const before = await (await fetch(`${url}/metrics`)).text()
    expect(before).toMatch(/vllm:cache_config_info\{engine="0",model_name="qwen",[^}]*kv_cache_size_tokens="6291456"/)
    expect(value(before, 'generation_tokens_total')).toBe(40)
    expect(
      value(before, 'spec_decode_num_accepted_tokens_total') + value(before, 'spec_decode_num_drafts_total'),
    ).toBeGreaterThanOrEqual(39)
    expect(value(before, 'num_requests_running')).toBe(0)

    const controller = new AbortController()
    const endless = fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'qwen',
        messages: [{ role: 'user', content: 'x' }],
        max_tokens: 200_000,
        ignore_eos: true,
        stream: true,
      }),
    })
    const reader = (await endless).body?.getReader()
    await reader?.read()
    expect(value(await (await fetch(`${url}/metrics`)).text(), 'num_requests_running')).toBe(1)
    controller.abort()
    await expect.poll(() => scheduler.running).toBe(0)
    expect(scheduler.counters.finished.abort).toBe(1)
  })
})

describe('faults', () => {
  const chatWith = async (faultName: string) => (await start({ faultName })).chat({ max_tokens: 400 })

  it('cut: the connection ends in the middle', async () => {
    const response = await chatWith('cut:3')
    await expect(response.text()).rejects.toThrow()
  })

  it('error_event: an error inside a stream of status 200', async () => {
    const response = await chatWith('error_event:3')
    const chunks = parse(await response.text())
    expect(response.status).toBe(200)
    expect(chunks.at(-1)?.error).toMatchObject({ code: 500, message: expect.stringContaining('EngineCore') as string })
  })

  it('no_usage: neither on the chunks nor at the end', async () => {
    const chunks = parse(await (await chatWith('no_usage')).text())
    expect(chunks.some((chunk) => chunk.usage !== undefined)).toBe(false)
  })

  it('http_500 and html', async () => {
    expect((await chatWith('http_500')).status).toBe(500)
    const page = await chatWith('html')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html'])
  })

  it('die_mid_stream: tells the process to die', async () => {
    let died = false
    const { chat } = await start({
      fault: readFault('die_mid_stream:2'),
      onFatal: () => {
        died = true
        closers.splice(0).forEach((close) => close())
      },
    })
    await expect(chat({ max_tokens: 400 }).then((response) => response.text())).rejects.toThrow()
    expect(died).toBe(true)
  })

  it('an unknown one is refused', () => {
    expect(() => readFault('explode')).toThrow(/one of cut, error_event/)
    expect(readFault(undefined)).toBeUndefined()
  })
})

it('answers a client that wants the connection closed', async () => {
  const { url } = await start()
  const { port } = new URL(url)
  const body = JSON.stringify({ model: 'qwen', prompt: 'x', max_tokens: 5, stream: true, ignore_eos: true })
  const text = await new Promise<string>((done, fail) => {
    const request = httpRequest(
      { port, path: '/v1/completions', method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' } },
      (response) => {
        let received = ''
        response.on('data', (chunk: Buffer) => (received += chunk.toString()))
        response.on('end', () => done(received))
      },
    )
    request.on('error', fail)
    request.end(body)
  })
  expect(parse(text).at(-1)?.choices[0]?.finish_reason).toBe('length')
})
