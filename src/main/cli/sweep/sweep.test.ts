import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { createHarness, type Harness } from '../testing/harness.ts'
import { attemptEntry, factsEntry, helloEntry, plannedEntry, prefillEntry } from '../testing/spool-entries.ts'

const K = 1024
const WORDS = ['sweep', '--host', 'lab', '--contexts', '8k', '--concurrency', '1,2']

let cli: Harness
const use = (options?: Parameters<typeof createHarness>[0]) => {
  cli = createHarness(options)
  cli.world.script = (id) => [
    helloEntry(id),
    factsEntry(),
    { kind: 'state', state: 'running' },
    plannedEntry([8 * K], [1, 2]),
    prefillEntry(8 * K, 110),
    attemptEntry(8 * K, 1),
    attemptEntry(8 * K, 2),
  ]
}
beforeEach(() => use())
afterEach(() => cli.dispose())

const soon = () => new Promise((resolve) => setTimeout(resolve, 50))

describe('sweep', () => {
  it('prints one plain line for each thing on stderr, the grid on stdout', async () => {
    const { code, stdout, stderr } = await cli.run(...WORDS, '--name', 'n', '--tag', 'a', '--tag', 'b')
    expect(code).toBe(0)
    expect(cli.world.requests[0]).toMatchObject({ target: { kind: 'server', host: 'lab' }, name: 'n', tags: ['a', 'b'] })
    expect(stderr).toMatch(/\d\d:\d\d:\d\d {2}prefill 8K: 74\.5K tok\/s, TTFT 110 ms\n/)
    expect(stderr).toMatch(/cell 8K × 2: 200\.0 tok\/s, TTFT 80 ms, 10\.0 ms between tokens\n/)
    expect(stderr).not.toContain('\u001b')
    expect(stdout).toContain('2 of 2 cells valid')
  })

  it('--json gives one run document, --events every line, --quiet nothing else', async () => {
    const { code, document } = await cli.json(...WORDS)
    expect([code, document.schema, (document.cells as unknown[]).length]).toEqual([0, 'speedgrid.run/1', 2])
    const events = await cli.run(...WORDS, '--events')
    expect(
      events.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { kind: string }).kind),
    ).toEqual(['hello', 'facts', 'state', 'planned', 'prefill', 'attempt', 'attempt'])
    const quiet = await cli.run(...WORDS, '--quiet')
    expect(quiet.stderr).toBe('')
    expect(quiet.stdout).toContain('2 of 2 cells valid')
  })

  it('ends with 5 where a cell is an error, with the document all the same', async () => {
    const good = cli.world.script
    cli.world.script = (id) => [
      ...good(id).slice(0, -1),
      attemptEntry(8 * K, 2, {}, { status: 'error', reason: 'HTTP 500 boom' }),
    ]
    const { code, document } = await cli.json(...WORDS)
    expect(code).toBe(5)
    expect(document).toMatchObject({
      schema: 'speedgrid.run/1',
      cells: [{ status: 'valid' }, { status: 'error', reason: 'HTTP 500 boom' }],
    })
    expect((await cli.run(...WORDS)).stdout).toContain('✗ 8K × 2: HTTP 500 boom')
  })

  it.each(['looped', 'over_capacity', 'skipped'] as const)('a cell that is %s is no error', async (status) => {
    const good = cli.world.script
    cli.world.script = (id) => [
      ...good(id).slice(0, -1),
      { kind: 'settled', contextTokens: 8 * K, concurrency: 2, repeat: 1, status, reason: 'r' },
    ]
    expect((await cli.run(...WORDS)).code).toBe(0)
  })

  it('a run that failed without error cells ends with the code of its cause', async () => {
    cli.world.script = (id) => [helloEntry(id)]
    cli.world.end = { state: 'failed', error: new SpeedgridError('unauthorized', 'The server answered 401.') }
    const { code, stdout, stderr } = await cli.run(...WORDS)
    expect(code).toBe(3)
    expect(stderr).toContain('The server answered 401.')
    expect(stderr).not.toContain('Report:')
    expect(stdout).not.toContain('requests at once')
    const { document } = await cli.json(...WORDS)
    expect(document).toMatchObject({ schema: 'speedgrid.run/1', state: 'failed' })
  })

  it.each([
    [['sweep', '--contexts', '0', '--concurrency', '1'], '--host'],
    [['sweep', '--host', 'a', '--url', 'http://x', '--contexts', '0', '--concurrency', '1'], 'exclude'],
    [['sweep', '--url', 'ftp://x', '--contexts', '0', '--concurrency', '1'], '--url'],
    [['sweep', '--url', 'http://me:pw@x', '--contexts', '0', '--concurrency', '1'], '--api-key-env'],
    [['sweep', '--host', 'a', '--contexts', 'zero', '--concurrency', '1'], '--contexts'],
    [['sweep', '--host', 'a'], '--contexts'],
    [['sweep', '--host', 'a', '--contexts', '0', '--concurrency', '1', '--api-key-env', 'NOPE'], 'NOPE'],
  ])('refuses %j before anything is started', async (words, hint) => {
    const { code, stderr } = await cli.run(...words)
    expect(code).toBe(2)
    expect(stderr).toContain(hint)
    expect(cli.world.requests).toEqual([])
  })

  it('gives the key of --api-key-env to the engine and to nothing else', async () => {
    cli.env.THE_KEY = 'very-secret-value'
    const words = ['sweep', '--url', 'http://127.0.0.1:9', '--contexts', '0', '--concurrency', '1', '--api-key-env', 'THE_KEY']
    const plain = await cli.run(...words)
    expect(cli.world.requests[0]?.target).toEqual({ kind: 'url', url: 'http://127.0.0.1:9', apiKey: 'very-secret-value' })
    const json = await cli.run(...words, '--json')
    expect(plain.stdout + plain.stderr + json.stdout + json.stderr).not.toContain('very-secret')
  })

  it('--like takes the plan of a run', async () => {
    await cli.run(...WORDS, '--seconds', '5', '--max-output', '128')
    await cli.run('sweep', '--host', 'lab', '--like', 'last', '--concurrency', '4')
    expect(cli.world.requests[1]?.plan).toMatchObject({ contexts: [8192], concurrency: [4], seconds: 5, maxOutputTokens: 128 })
  })
})

describe('--dry-run', () => {
  beforeEach(() => {
    const over = { verdict: 'over_capacity' as const, neededTokens: 1_228_800, kvTokens: 1_048_576 }
    cli.world.dryRun = {
      facts: {
        name: 'vllm',
        servedModel: 'qwen',
        kvTokens: 1_048_576,
        kvTokensSource: 'startup_log',
        capabilities: { metrics: true, tokenize: true },
      },
      contexts: [8 * K],
      prefillContexts: [8 * K],
      cells: [
        { contextTokens: 8 * K, concurrency: 64, repeat: 1, verdict: 'run' },
        { contextTokens: 8 * K, concurrency: 128, repeat: 1, ...over },
      ],
      estimateSeconds: 65,
      place: 'tunnel',
      placeNote: 'no Node on the host',
    }
  })

  it('says which cells run, which do not, why, how long and from where', async () => {
    const { code, stdout } = await cli.run(...WORDS, '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('2 cells: 1 runnable, 1 over capacity; about 1 min 05 s, load through the tunnel')
    expect(stdout).toContain('8K × 128: needs 1,228,800 tokens, the KV cache holds 1,048,576')
    expect(stdout).toContain('no Node on the host')
  })

  it('gives it as JSON', async () => {
    expect((await cli.json(...WORDS, '--dry-run')).document).toEqual(cli.world.dryRun)
  })
})

describe('Ctrl-C', () => {
  beforeEach(() => {
    cli.world.held = true
  })

  it('once: interrupts, stores, says how to go on, 130', async () => {
    const running = cli.run(...WORDS)
    await soon()
    cli.signal('interrupt')
    const { code, stderr } = await running
    expect(code).toBe(130)
    expect(cli.world.controls).toEqual([{ kind: 'interrupt' }])
    expect(stderr).toContain('speedgrid resume run-1')
    expect(cli.world.disposed).toBe(1)
  })

  it('once with --json: the document all the same', async () => {
    const running = cli.json(...WORDS)
    await soon()
    cli.signal('interrupt')
    expect(await running).toMatchObject({ code: 130, document: { schema: 'speedgrid.run/1', state: 'interrupted' } })
  })

  it('twice: leaves at once and says that the host may run on; one press that arrives twice is one', async () => {
    cli.world.onControl = () => {
      throw new Error('the link is down')
    }
    void cli.run(...WORDS)
    await soon()
    cli.signal('interrupt')
    cli.clock.now += 20
    cli.signal('interrupt')
    expect(cli.left).toEqual([])
    cli.clock.now += 1000
    cli.signal('interrupt')
    expect(cli.left).toEqual([130])
    expect(cli.stderr().text()).toContain('may run on; speedgrid resume run-1 finds it')
  })
})

describe('on a terminal', () => {
  beforeEach(() => {
    cli.dispose()
    use({ tty: true, columns: 90, rows: 30 })
    cli.world.held = true
  })

  it('draws in place, takes keys, and gives the cursor and the keyboard back', async () => {
    const running = cli.run(...WORDS)
    await soon()
    expect(cli.stdin().raw()).toBe(true)
    expect(cli.stderr().text()).toContain('\u001b[?25l')
    cli.stdin().type('p')
    cli.stdin().type('q')
    cli.stdin().type('x')
    cli.stdin().type('s')
    cli.stdin().type('q')
    cli.stdin().type('q')
    const { code, stdout, stderr } = await running
    expect(cli.world.controls).toEqual([{ kind: 'pause' }, { kind: 'stop' }])
    expect(code).toBe(130)
    expect(stderr.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stderr.lastIndexOf('\u001b[?25l'))
    expect([cli.stdin().raw(), cli.stdin().listeners()]).toEqual([false, 0])
    expect(stdout).toContain('2 of 2 cells valid')
  })

  it('Ctrl-C arrives as a key and interrupts', async () => {
    const running = cli.run(...WORDS)
    await soon()
    cli.stdin().type('\u0003')
    expect((await running).code).toBe(130)
    expect(cli.world.controls).toEqual([{ kind: 'interrupt' }])
  })

  it('d leaves a driver on the host running and says how to come back', async () => {
    const running = cli.run(...WORDS)
    await soon()
    cli.stdin().type('d')
    const { code, stderr } = await running
    expect(code).toBe(0)
    expect(cli.world.controls).toEqual([])
    expect(stderr).toContain('Come back with: speedgrid resume run-1')
  })

  it('asks for a host key with the whole fingerprint, and hides what is typed for a secret', async () => {
    const fingerprint = 'SHA256:6pBQJ0mD7cL8zVv0yWq1rXg2hUe3sTn4kPj5fRi6oMw'
    cli.world.hostKey = { hop: '10.0.0.1:22', keyType: 'ssh-ed25519', fingerprint, state: 'unknown', knownFingerprints: [] }
    await cli.run('hosts', 'add', 'lab', '10.0.0.1')
    const asking = cli.run('hosts', 'trust', 'lab')
    await soon()
    expect(cli.stderr().text()).toContain(fingerprint)
    expect(cli.world.trusted).toEqual([])
    cli.stdin().type('y\r')
    expect((await asking).code).toBe(0)
    expect(cli.world.trusted).toEqual([{ name: 'lab', fingerprint }])
    cli.world.trusted = []
    const declined = cli.run('hosts', 'trust', 'lab')
    await soon()
    cli.stdin().type('\r')
    expect((await declined).code).toBe(3)
  })
})
