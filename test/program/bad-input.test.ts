import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServerBehaviour } from '../../src/main/driver/run/test-server.ts'
import { decimalText } from '../../src/shared/format/index.ts'
import type { RunDocument } from '../../src/shared/model/run.ts'
import { sshdMissing, startSshd, type TestSshd } from '../sshd.ts'
import { createPerson, type Outcome, type Person } from './speedgrid.ts'

/** A clear error: what is wrong, what was seen, what to do next; and no stack trace. */
function expectClear(outcome: Outcome, code: number, ...says: RegExp[]) {
  expect(outcome.code, outcome.stderr + outcome.stdout).toBe(code)
  for (const pattern of says) expect(outcome.stderr).toMatch(pattern)
  expect(outcome.stderr).not.toMatch(/\n\s+at .*(\.js|\.ts|node:)/)
}

describe('bad input', () => {
  let person: Person
  beforeAll(() => {
    person = createPerson()
  })
  afterAll(() => {
    person.dispose()
  })

  const sweepAt = (url: string, ...more: string[]) =>
    person.run(['sweep', '--url', url, ...'--contexts 0 --concurrency 2 --seconds 1 --max-output 128'.split(' '), ...more])
  const runsStored = async () => (await person.json<{ runs: unknown[] }>(['runs'])).runs.length

  it('an unknown option is answered with the nearest one', async () => {
    expectClear(await person.run(['sweep', '--url', 'http://127.0.0.1:9', '--concurency', '1']), 2, /--concurrency/)
  })

  it('a plan file with a typo is refused with the nearest name', async () => {
    const plan = join(person.home, 'plan.json')
    writeFileSync(plan, JSON.stringify({ contexts: '0', concurrency: '1', secnods: 3 }))
    expectClear(await person.run(['sweep', '--url', 'http://127.0.0.1:9', '--plan', plan]), 2, /secnods/, /seconds/)
  })

  it('an unknown host', async () => {
    expectClear(await person.run(['doctor', 'nowhere']), 2, /nowhere/, /hosts add/)
  })

  it('a URL nobody answers at', async () => {
    const outcome = await sweepAt('http://127.0.0.1:9')
    expectClear(outcome, 3, /127\.0\.0\.1:9/)
  })

  const refusals: [string, Partial<TestServerBehaviour>, number, RegExp][] = [
    ['401', { apiKey: 'some key' }, 3, /401|api key/i],
    ['500', { answer: { status: 500, contentType: 'application/json', body: '{"error":{"message":"boom"}}' } }, 1, /500/],
    ['HTML', { answer: { status: 200, contentType: 'text/html', body: '<html><title>Router</title></html>' } }, 1, /HTML/],
  ]
  it.each(refusals)('a server that answers %s', async (_name, behaviour, code, says) => {
    const server = await startTestServer(behaviour)
    try {
      const before = await runsStored()
      expectClear(await sweepAt(server.baseUrl), code, says)
      const rows = (await person.json<{ runs: { state: string }[] }>(['runs'])).runs
      expect(rows.length - before).toBeLessThanOrEqual(1)
      expect(rows.map((row) => row.state)).not.toContain('running')
    } finally {
      await server.close()
    }
  })

  it('a context that cannot fit is refused before anything is sent', async () => {
    const server = await startTestServer({ maxModelLen: 4096 })
    try {
      const outcome = await person.run(['sweep', '--url', server.baseUrl, ...'--contexts 64k --concurrency 1'.split(' ')])
      expectClear(outcome, 2, /4,?096/, /65,?536|64K/)
      expect(server.generated()).toBe(0)
    } finally {
      await server.close()
    }
  })

  const faults: [string, Partial<TestServerBehaviour>, RegExp][] = [
    ['a cut stream', { fault: { kind: 'cut', afterEvents: 5 } }, /without \[DONE\]|cut|closed/i],
    ['an error event in the stream', { fault: { kind: 'error_event', afterEvents: 5 } }, /error/i],
  ]
  it.each(faults)('%s makes an error cell with its cause', async (_name, behaviour, says) => {
    const server = await startTestServer(behaviour)
    try {
      const outcome = await sweepAt(server.baseUrl, '--json')
      expect(outcome.code, outcome.stderr).toBe(5)
      const run = JSON.parse(outcome.stdout) as RunDocument
      expect(run.cells[0]?.status).toBe('error')
      expect(run.cells[0]?.reason).toMatch(says)
      expect(run.cells[0]?.totalTokensPerSecond).toBeUndefined()
    } finally {
      await server.close()
    }
  })

  it('a stream of five tokens an event without a count is no rate of tokens: every front door says events', async () => {
    const server = await startTestServer({ usage: 'none', hasMetrics: false, tokensPerEvent: 5 })
    try {
      const outcome = await sweepAt(server.baseUrl, '--json')
      expect(outcome.code, outcome.stderr).toBe(0)
      const [cell] = (JSON.parse(outcome.stdout) as RunDocument).cells
      expect(cell?.tokenSource).toBe('events')
      expect(cell?.flags.map(({ flag }) => flag)).toContain('estimated_tokens')
      expect(cell?.totalTokensPerSecond).toBeUndefined()
      expect(cell?.confidence95Percent).toBeUndefined()
      expect(cell?.eventsPerSecond).toBeGreaterThan(0)
      const said = `${decimalText(cell?.eventsPerSecond)} ev/s`
      for (const format of ['md', 'html']) {
        const report = await person.run(['report', 'last', '--format', format])
        expect(report.stdout, format).toContain(said)
        expect(report.stdout, format).not.toContain('±')
      }
      const shown = await person.run(['show', 'last'])
      expect(shown.stdout).not.toMatch(/tok\/s ±/)
    } finally {
      await server.close()
    }
  })
})

describe.skipIf(sshdMissing())('bad hosts', () => {
  let person: Person
  let home: string
  const servers: TestSshd[] = []
  beforeEach(() => {
    person = createPerson()
    home = mkdtempSync(join(tmpdir(), 'speedgrid-host-'))
  })
  afterEach(async () => {
    person.dispose()
    for (const server of servers.splice(0)) await server.stop()
    rmSync(home, { recursive: true, force: true })
  })

  async function addHost(options: Parameters<typeof startSshd>[0] = {}) {
    const sshd = await startSshd({ home, ...options })
    servers.push(sshd)
    await person.json(['hosts', 'add', 'lab', `${sshd.user}@127.0.0.1:${sshd.port}`, '--identity', sshd.clientKeyPath])
    const trusted = await person.run(['hosts', 'trust', 'lab', '--fingerprint', sshd.hostKeyFingerprint])
    expect(trusted.code, trusted.stderr).toBe(0)
    return sshd
  }

  it('a changed host key is refused with both fingerprints', async () => {
    const first = await addHost()
    await first.stop()
    servers.length = 0
    const second = await startSshd({ home, port: first.port })
    servers.push(second)
    const outcome = await person.run(['inventory', 'lab'])
    expectClear(outcome, 3, /another host key/)
    expect(outcome.stderr).toContain(first.hostKeyFingerprint)
    expect(outcome.stderr).toContain(second.hostKeyFingerprint)
  })

  it('a key the host does not accept', async () => {
    const sshd = await addHost()
    const wrong = join(person.home, 'wrong_key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', wrong])
    await person.json(['hosts', 'add', 'wrong', `${sshd.user}@127.0.0.1:${sshd.port}`, '--identity', wrong])
    expectClear(await person.run(['inventory', 'wrong']), 3, /authenticat|accept/i, /publickey|wrong_key/)
  })

  it('a host without vLLM', async () => {
    await addHost()
    expectClear(await person.run(['launch', 'lab', '--', 'vllm', 'serve', 'some/model']), 4, /vllm/i)
    expect(readdirSync(home, { recursive: true }).filter((path) => String(path).includes('srv-'))).toEqual([])
  })

  it('a host without Node refuses the driver that was asked for there', async () => {
    // Only what a bare machine has: a shell and its tools.
    const bin = join(home, 'bare-bin')
    mkdirSync(bin)
    for (const name of readdirSync('/usr/bin').filter((name) => !/^(node|npm|npx)/.test(name)))
      symlinkSync(`/usr/bin/${name}`, join(bin, name))
    await addHost({ config: [`SetEnv PATH=${bin} HOME=${home} XDG_CACHE_HOME=${home}/.cache`] })
    const inventory = await person.json<{ node?: { path: string } }>(['inventory', 'lab'])
    const server = await startTestServer()
    try {
      const port = new URL(server.baseUrl).port
      const adopted = await person.run(['adopt', 'lab', '--port', port])
      expect(adopted.code, adopted.stderr).toBe(0)
      const outcome = await person.run(
        'sweep --host lab --driver host --contexts 0 --concurrency 1 --seconds 1 --max-output 64'.split(' '),
      )
      // A Node in a place that is looked at beside PATH would do; then there is nothing to refuse.
      if (inventory.node) expect(outcome.code, outcome.stderr).toBe(0)
      else expectClear(outcome, 1, /Node/, /--send-node/)
      const tunnel = await person.run(
        'sweep --host lab --contexts 0 --concurrency 1 --seconds 1 --max-output 64 --json'.split(' '),
      )
      expect(tunnel.code, tunnel.stderr).toBe(0)
      if (!inventory.node) expect((JSON.parse(tunnel.stdout) as RunDocument).path.driver).toBe('tunnel')
    } finally {
      await server.close()
    }
  })

  it('a home folder nothing can be written to', async () => {
    // /proc takes no files, from root neither; /tmp is what is left.
    await addHost({ config: ['SetEnv HOME=/proc XDG_CACHE_HOME=/proc/nowhere'] })
    const outcome = await person.run(['launch', 'lab', '--env', '/bin/false', '--', 'vllm', 'serve', 'some/model'])
    expectClear(outcome, 4)
  })
})
