import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Server } from '../../../shared/model/server.ts'
import type { DemoHostProcess } from '../../engine/demo/types.ts'
import { createStore } from '../../store/index.ts'
import { createHarness, type Harness } from '../testing/harness.ts'
import { demoPlan } from './demo-plan.ts'
import { attemptEntry, factsEntry, helloEntry, plannedEntry } from '../testing/spool-entries.ts'

const K = 1024
const READY = {
  machine: 'h200',
  address: '127.0.0.1',
  port: 40_022,
  user: 'me',
  clientKeyPath: '/tmp/speedgrid demo/key',
  hostKeyFingerprint: 'SHA256:abc',
  hostKeyLine: '[127.0.0.1]:40022 ssh-ed25519 AAAA',
  launchWords: ['vllm', 'serve', 'M'],
}
const server: Server = {
  id: 'srv-1',
  host: 'demo',
  port: 8000,
  adopted: false,
  hasApiKey: true,
  startedAt: '2026-03-01T10:00:00.000Z',
}

let cli: Harness
let machines: { disposed: boolean; end(said: string): void }[]
beforeEach(() => {
  cli = createHarness()
  machines = []
  cli.startDemoHost = () => {
    let end: (said: string) => void = () => {}
    const exited = new Promise<string>((resolve) => {
      end = resolve
    })
    const machine = { disposed: false, end }
    machines.push(machine)
    const handle: DemoHostProcess = {
      ready: READY,
      exited,
      dispose() {
        machine.disposed = true
        return Promise.resolve()
      },
    }
    return Promise.resolve(handle)
  }
  cli.world.hostKey = {
    hop: '127.0.0.1:40022',
    keyType: 'ssh-ed25519',
    fingerprint: 'SHA256:abc',
    state: 'unknown',
    knownFingerprints: [],
  }
  cli.world.launch = () => Promise.resolve({ server, state: 'ready', seconds: 3, phases: [], known: {} })
  cli.world.script = (id) => [
    helloEntry(id),
    factsEntry(),
    { kind: 'state', state: 'running' },
    plannedEntry([8 * K], [1]),
    attemptEntry(8 * K, 1),
  ]
})
afterEach(() => cli.dispose())

const soon = () => new Promise((resolve) => setTimeout(resolve, 50))

async function expectNothingLeft(): Promise<void> {
  expect(machines.map((machine) => machine.disposed)).toEqual([true])
  expect((await cli.json('hosts', 'list')).document).toEqual({ hosts: [] })
}

describe('demo', () => {
  it('does the whole job, leaves the run and the report, and takes the rest away', async () => {
    const { code, stdout, stderr } = await cli.run('demo')
    expect(code).toBe(0)
    expect(cli.world.trusted).toEqual([{ name: 'demo', fingerprint: 'SHA256:abc' }])
    expect(cli.world.launched[0]).toMatchObject({ host: 'demo', text: 'vllm serve M' })
    expect(cli.world.stopped).toEqual(['srv-1'])
    expect(stdout).toContain('1 of 3 cells valid')
    const file = /^Report: (.*)$/m.exec(stdout)?.[1] ?? ''
    expect(file.startsWith(join(cli.folder, 'data', 'reports'))).toBe(true)
    expect(readFileSync(file, 'utf8')).toMatch(/<html/i)
    expect(stderr).toContain('simulated')
    await expectNothingLeft()
    expect((await cli.json('runs')).document).toMatchObject({ runs: [{ name: 'Demo h200' }] })
  })

  it('--json prints the run, -o says where the report goes, --full the published plan', async () => {
    const { code, document } = await cli.json('demo', '--full', '-o', 'r.html')
    expect(code).toBe(0)
    expect(document).toMatchObject({ schema: 'speedgrid.run/1', report: join(cli.folder, 'r.html') })
    expect(existsSync(join(cli.folder, 'r.html'))).toBe(true)
    expect(cli.world.requests[0]?.plan).toMatchObject({
      concurrency: [1, 2, 4, 8, 16, 32, 64, 128],
      seconds: 30,
      maxOutputTokens: 4096,
    })
  })

  it('takes away what a killed demo left: its host entry and a run that nobody carries out any more', async () => {
    const dataDir = join(cli.folder, 'data')
    await cli.run('runs')
    const left = createStore({ dataDir })
    // Port 1 of this machine: nobody answers there.
    left.hosts.save({ name: 'demo', address: '127.0.0.1', port: 1, demo: true, addedAt: '2026-03-01T10:00:00.000Z' })
    left.runs.create({ id: 'dead', name: 'Dead', tags: [], plan: demoPlan(false), host: { name: 'demo' }, demo: true })
    left.runs.setState('dead', 'preparing')
    left.runs.setState('dead', 'running')
    left.dispose()
    expect((await cli.run('demo')).code).toBe(0)
    await expectNothingLeft()
    expect((await cli.json('show', 'Dead')).document).toMatchObject({ state: 'stopped', reason: 'the demo machine is gone' })
  })

  it('Ctrl-C during the launch: nothing left, 130', async () => {
    cli.world.launch = (request) =>
      new Promise((_, reject) => request.signal?.addEventListener('abort', () => reject(new Error('aborted'))))
    const running = cli.run('demo')
    await soon()
    cli.signal('interrupt')
    expect((await running).code).toBe(130)
    await expectNothingLeft()
  })

  it('Ctrl-C during the sweep: the run is stopped, the server too, nothing left, 130', async () => {
    cli.world.held = true
    const running = cli.json('demo')
    await vi.waitFor(() => expect(cli.stderr().text()).toContain('cell 8K × 1'))
    cli.signal('interrupt')
    expect(await running).toMatchObject({ code: 130, document: { schema: 'speedgrid.run/1', state: 'stopped' } })
    expect(cli.world.controls).toEqual([{ kind: 'stop' }])
    await expectNothingLeft()
  })

  it('a server that does not start: its error, 4, nothing left', async () => {
    const error = { code: 'server_failed' as const, cause: 'It crashed.', evidence: ['Traceback …'] }
    cli.world.launch = () => Promise.resolve({ server, state: 'failed', seconds: 3, phases: [], known: {}, error })
    const { code, stderr } = await cli.run('demo')
    expect(code).toBe(4)
    expect(stderr).toContain('It crashed.')
    await expectNothingLeft()
  })
})

describe('demo-host', () => {
  it('prints address, key and the two commands, and ends well at Ctrl-C', async () => {
    const running = cli.run('demo-host', '--machine', 'h200')
    await vi.waitFor(() => expect(cli.stderr().text()).toContain('until Ctrl-C'))
    cli.signal('interrupt')
    const { code, stdout } = await running
    expect(code).toBe(0)
    for (const part of ['me@127.0.0.1:40022', '/tmp/speedgrid demo/key', 'SHA256:abc', 'ssh-ed25519 AAAA'])
      expect(stdout).toContain(part)
    expect(stdout).toMatch(
      /speedgrid hosts add demo-h200 me@127\.0\.0\.1:40022 --identity '\/tmp\/speedgrid demo\/key' --data-dir/,
    )
    expect(machines[0]?.disposed).toBe(true)
  })

  it('says when the machine ends by itself', async () => {
    const running = cli.run('demo-host', '--machine', 'h200')
    await soon()
    machines[0]?.end('out of memory')
    const { code, stderr } = await running
    expect(code).toBe(1)
    expect(stderr).toContain('out of memory')
  })
})
