import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import type { PlanInput } from '../../../shared/model/plan.ts'
import { attemptAt, attemptsOf, linesOf, runTestJob } from './test-run.ts'
import { startTestServer, type TestServer, type TestServerBehaviour } from './test-server.ts'

const PLAN = { contexts: [256], concurrency: [2], seconds: 0.6, settleSeconds: 0.05, maxOutputTokens: 5000 } satisfies PlanInput

async function start(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  behaviour: Partial<TestServerBehaviour> = {},
): Promise<TestServer> {
  const server = await startTestServer({ gapMs: 4, ...behaviour })
  onTestFinished(() => server.close())
  return server
}

describe.concurrent('over a real connection', () => {
  it('measures cells, and counts the tokens the server sent', async (context) => {
    const { lines, end } = await runTestJob(
      await start(context, { apiKey: 'sk-real' }),
      { ...PLAN, concurrency: [1, 4], prefillContexts: [256] },
      { apiKey: 'sk-real' },
    )
    expect(end).toEqual({ state: 'finished' })
    for (const record of attemptsOf(lines)) {
      expect(record.status).toBe('valid')
      expect(record.figures.promptTokens).toBe(256)
      expect(record.figures.tokenSource).toMatch(/^(final_usage|server_counter)$/)
      expect(record.figures.outputTokens).toBeGreaterThan(10)
    }
    expect(linesOf(lines, 'prefill')[0]?.result).toMatchObject({ status: 'valid', promptTokens: 256, cachedTokens: 0 })
    expect(linesOf(lines, 'facts')[0]?.path?.roundTripMs).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain('sk-real')
  })

  it('sends the published body', async (context) => {
    const running = await start(context)
    const { lines } = await runTestJob(running, { ...PLAN, temperature: 0.5, countTokens: 'with-events' })
    const body = running.bodies.find((entry) => entry.body.max_tokens === 5000)
    expect(body).toMatchObject({
      path: '/v1/chat/completions',
      body: {
        stream: true,
        ignore_eos: true,
        temperature: 0.5,
        stream_options: { include_usage: true, continuous_usage_stats: true },
      },
    })
    expect(linesOf(lines, 'facts').at(-1)?.requestTemplate).toMatchObject({
      max_tokens: 5000,
      temperature: 0.5,
      messages: [{ content: '<prompt>' }],
    })
  })

  it.each([
    ['asks for no count with each event where each is one token', {}, {}, undefined],
    ['asks for it where an event holds several', { tokensPerEvent: 3 }, {}, true],
    ['asks for it where the server has no counter to check by', { hasMetrics: false }, {}, true],
    ['asks for none where the plan says so', { tokensPerEvent: 3 }, { countTokens: 'at-end' }, undefined],
  ] as const)('%s', async (_what, behaviour, plan, asked) => {
    const running = await start({ onTestFinished }, behaviour)
    const { lines } = await runTestJob(running, { ...PLAN, ...plan, contexts: [0], concurrency: [1] })
    const bodies = running.bodies.filter((entry) => entry.body.max_tokens === 5000)
    expect(bodies.length).toBeGreaterThan(0)
    for (const { body } of bodies)
      expect(body.stream_options).toEqual({ include_usage: true, ...(asked && { continuous_usage_stats: true }) })
    const template = linesOf(lines, 'facts').at(-1)?.requestTemplate
    expect(template?.stream_options).toEqual(bodies[0]?.body.stream_options)
    const { figures } = attemptAt(lines, 0, 1)
    if (asked) expect(figures.tokenSource).toBe('usage')
    else expect(figures.tokenSource).not.toBe('usage')
  })

  it('uses token ids on /v1/completions', async (context) => {
    const running = await start(context)
    const { lines } = await runTestJob(running, { ...PLAN, endpoint: 'completions' })
    expect(attemptAt(lines, 256, 2)).toMatchObject({ status: 'valid', figures: { promptTokens: 256 } })
    expect(running.bodies.every((entry) => entry.path === '/v1/completions')).toBe(true)
  })

  it("counts by the server's counter where there is no usage, and says so", async (context) => {
    const running = await start(context, { usage: 'none', tokensPerEvent: 5, gapMs: 10 })
    const { lines } = await runTestJob(running, { ...PLAN, contexts: [0], concurrency: [4], seconds: 3 })
    const record = attemptAt(lines, 0, 4)
    expect(record.figures.tokenSource).toBe('server_counter')
    expect(record.figures.tokensPerEvent).toBeGreaterThan(4.5)
    expect(record.figures.tokensPerEvent).toBeLessThan(5.5)
    expect(record.flags.find(({ flag }) => flag === 'estimated_tokens')?.detail).toContain("the server's counter")
  })

  it('says events, not tokens, where there is neither usage nor a counter', async (context) => {
    const { lines } = await runTestJob(await start(context, { usage: 'none', hasTokenize: true, hasMetrics: false }), {
      ...PLAN,
      contexts: [0],
    })
    const record = attemptAt(lines, 0, 2)
    expect(record).toMatchObject({ status: 'valid', figures: { tokenSource: 'events' } })
    expect(record.figures.totalTokensPerSecond).toBeUndefined()
    expect(record.figures.eventsPerSecond).toBeGreaterThan(0)
    expect(record.figures.confidence95Percent).toBeUndefined()
    expect(record.flags.map((flag) => flag.flag)).toContain('estimated_tokens')
    expect(record.figures.serverCheck).toBeUndefined()
    expect(record.figures.activeRequestsMean).toBeUndefined()
    expect(record.figures.decodingStreamsMean).toBeGreaterThan(0)
  })

  it('spreads the final usage over the events where usage comes only at the end', async (context) => {
    const plan = { ...PLAN, contexts: [0], concurrency: [1], maxOutputTokens: 90, seconds: 1 }
    const { lines } = await runTestJob(await start(context, { usage: 'final', tokensPerEvent: 3, gapMs: 3 }), plan)
    const record = attemptAt(lines, 0, 1)
    const whole = record.requests.filter((request) => request.completed)
    expect(whole.length).toBeGreaterThan(1)
    expect(whole.every((request) => request.outputTokens === 90 && request.events === 30)).toBe(true)
    expect(record.figures).toMatchObject({ tokenSource: 'final_usage', tokensPerEvent: 3 })
    // The event at either edge may lie across it.
    expect(Math.abs((record.figures.outputTokens ?? 0) - 3 * (record.figures.path?.events ?? 0))).toBeLessThanOrEqual(6)
  })

  it.for([
    ['cut', 'closed the connection'],
    ['error_event', 'engine failed'],
  ] as const)('a stream with fault %s makes an error cell', async ([kind, text], context) => {
    const { lines, end } = await runTestJob(await start(context, { fault: { kind, afterEvents: 20 } }), PLAN)
    expect(end.state).toBe('finished')
    const record = attemptAt(lines, 256, 2)
    expect(record).toMatchObject({ status: 'error', figures: {} })
    expect(record.reason).toContain(text)
  })

  it('sees a text that loops', async (context) => {
    const { lines } = await runTestJob(
      await start(context, { text: () => 'the same words again and again, for ever. ', gapMs: 1 }),
      {
        ...PLAN,
        contexts: [0],
        seconds: 10,
      },
    )
    const record = attemptAt(lines, 0, 2)
    expect(record).toMatchObject({
      status: 'looped',
      loop: { channel: 'content' },
      figures: { completedRequests: 0, outputTokens: 0 },
    })
    expect(record.discarded?.completedRequests).toBe(0)
  })

  it('leaves nothing running on the server', async (context) => {
    const running = await start(context)
    await runTestJob(running, PLAN)
    expect(running.running()).toBe(0)
    expect(running.maxRunningSeen()).toBe(2)
  })
})

describe.concurrent('a server that is not what it should be', () => {
  it.for([
    ['401', { apiKey: 'right' }, 'unauthorized', 'refused the API key (HTTP 401)'],
    [
      '500',
      { answer: { status: 500, contentType: 'application/json', body: '{"error":{"message":"engine is dead"}}' } },
      'http',
      'HTTP 500',
    ],
    ['404', { answer: { status: 404, contentType: 'text/plain', body: 'nope' } }, 'http', 'HTTP 404'],
    ['HTML', { answer: { status: 200, contentType: 'text/html', body: '<html>Welcome</html>' } }, 'http', 'a web page (HTML)'],
    ['no JSON', { answer: { status: 200, contentType: 'text/plain', body: 'hello' } }, 'http', 'no JSON'],
    ['no models', { answer: { status: 200, contentType: 'application/json', body: '{"data":[]}' } }, 'http', 'no list of models'],
  ] as const)('%s ends the run with cause and evidence', async ([_name, behaviour, code, text], context) => {
    const { lines, end } = await runTestJob(await start(context, behaviour), PLAN, { apiKey: 'wrong-key' })
    expect(end).toMatchObject({ state: 'failed', error: { code } })
    expect(end.error?.cause).toContain(text)
    expect(end.error?.evidence.length).toBeGreaterThan(0)
    expect(lines.at(-1)).toMatchObject({ kind: 'end', state: 'failed' })
    expect(JSON.stringify(lines)).not.toContain('wrong-key')
  })

  it('refused at a resume: what was measured before is not given up', async (context) => {
    const server = await start(context, { apiKey: 'right' })
    const { end } = await runTestJob(server, PLAN, { apiKey: 'wrong', job: { epoch: 2 } })
    expect(end).toMatchObject({ state: 'interrupted', error: { code: 'unauthorized' } })
  })

  it('refuses a model it does not serve, naming those it does', async (context) => {
    const { end } = await runTestJob(await start(context), { ...PLAN, model: 'other' })
    expect(end.error).toMatchObject({ code: 'plan', evidence: ['it serves: test-model'] })
  })

  it.for(['preparing', 'window'] as const)('that hangs does not hold up the end (%s)', async (when, context) => {
    const running = await start(context)
    const startMs = Date.now()
    if (when === 'preparing') running.behaviour.hangs = true
    const { end } = await runTestJob(
      running,
      { ...PLAN, seconds: 60 },
      {
        onLine: (line, commands) => {
          const isThere = when === 'preparing' ? line.kind === 'state' : line.kind === 'cell' && line.phase === 'window'
          if (!isThere) return
          running.behaviour.hangs = true
          setTimeout(() => commands.take({ kind: 'interrupt' }), 50)
        },
      },
    )
    expect(end.state).toBe('interrupted')
    expect(Date.now() - startMs).toBeLessThan(9000)
  })

  it('that is not there', async () => {
    const gone = await startTestServer()
    await gone.close()
    const { end } = await runTestJob(gone, PLAN)
    expect(end).toMatchObject({ state: 'interrupted', error: { code: 'server_gone' } })
  })

  it('says which server is a demo', async (context) => {
    const { lines } = await runTestJob(await start(context, { demo: true }), PLAN, { job: { dryRun: true } })
    expect(linesOf(lines, 'facts')[0]?.facts.demo).toBe(true)
  })
})
