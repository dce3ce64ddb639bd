import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Server } from '../../../shared/model/server.ts'
import { createHarness, type Harness } from '../testing/harness.ts'
import { attemptEntry, factsEntry, helloEntry, plannedEntry } from '../testing/spool-entries.ts'

const FINGERPRINT = 'SHA256:6pBQJ0mD7cL8zVv0yWq1rXg2hUe3sTn4kPj5fRi6oMw'
const key = (state: 'known' | 'unknown' | 'changed' | 'revoked') => ({
  hop: '10.0.0.1:22',
  keyType: 'ssh-ed25519',
  fingerprint: FINGERPRINT,
  state,
  knownFingerprints: state === 'changed' ? ['SHA256:old'] : [],
})
const server: Server = {
  id: 'srv-1',
  host: 'lab',
  port: 8000,
  adopted: false,
  hasApiKey: true,
  startedAt: '2026-03-01T10:00:00.000Z',
}

let cli: Harness
beforeEach(async () => {
  cli = createHarness()
  await cli.run('hosts', 'add', 'lab', 'ann@10.0.0.1:2222', '--identity', 'keys/id')
})
afterEach(() => cli.dispose())

describe('hosts', () => {
  it('adds, lists and removes, with the key file where it was typed', async () => {
    const { document } = await cli.json('hosts', 'list')
    expect(document).toMatchObject({
      hosts: [
        { name: 'lab', address: '10.0.0.1', user: 'ann', port: 2222, identityFile: join(cli.folder, 'keys/id'), demo: false },
      ],
    })
    expect((await cli.run('hosts')).stdout).toContain('ann@10.0.0.1:2222')
    expect((await cli.run('hosts', 'remove', 'nope')).code).toBe(2)
    expect((await cli.run('hosts', 'remove', 'lab')).code).toBe(0)
    expect((await cli.json('hosts', 'list')).document).toEqual({ hosts: [] })
  })

  it('trust without a terminal prints the fingerprint and the command, and records nothing', async () => {
    cli.world.hostKey = key('unknown')
    const { code, stderr } = await cli.run('hosts', 'trust', 'lab')
    expect(code).toBe(3)
    expect(stderr).toContain(`speedgrid hosts trust lab --fingerprint ${FINGERPRINT}`)
    expect(cli.world.trusted).toEqual([])
  })

  it('trust takes the fingerprint a script expects, and no other', async () => {
    cli.world.hostKey = key('unknown')
    const wrong = await cli.run('hosts', 'trust', 'lab', '--fingerprint', 'SHA256:other')
    expect(wrong.code).toBe(3)
    expect(wrong.stderr).toContain(FINGERPRINT)
    expect(cli.world.trusted).toEqual([])
    const right = await cli.json('hosts', 'trust', 'lab', '--fingerprint', FINGERPRINT)
    expect(right).toMatchObject({ code: 0, document: { host: 'lab', fingerprint: FINGERPRINT, trusted: true } })
    expect(cli.world.trusted).toEqual([{ name: 'lab', fingerprint: FINGERPRINT }])
  })

  it('trust goes on to the host behind a jump host', async () => {
    cli.world.hostKey = { ...key('unknown'), hop: 'jump (hop 1 of 2)' }
    const behind = { ...key('unknown'), hop: 'lab (hop 2 of 2)', fingerprint: 'SHA256:behind' }
    cli.world.hostKeyBehind = behind
    const half = await cli.run('hosts', 'trust', 'lab', '--fingerprint', FINGERPRINT)
    expect(half.code).toBe(3)
    expect(half.stderr).toContain(`--fingerprint ${FINGERPRINT} --fingerprint SHA256:behind`)
    cli.world.trusted = []
    const both = await cli.json('hosts', 'trust', 'lab', '--fingerprint', FINGERPRINT, '--fingerprint', 'SHA256:behind')
    expect(both).toMatchObject({ code: 0, document: { host: 'lab', hop: behind.hop, trusted: true } })
    expect(cli.world.trusted.map(({ fingerprint }) => fingerprint)).toEqual([FINGERPRINT, 'SHA256:behind'])
  })

  it('trust refuses a changed or revoked key and shows both', async () => {
    cli.world.hostKey = key('changed')
    const changed = await cli.run('hosts', 'trust', 'lab')
    expect(changed.code).toBe(3)
    expect(changed.stderr).toContain('SHA256:old')
    expect(changed.stderr).toContain(FINGERPRINT)
    expect((await cli.run('hosts', 'trust', 'lab', '--fingerprint', FINGERPRINT)).code).toBe(0)
    cli.world.hostKey = key('revoked')
    expect((await cli.run('hosts', 'trust', 'lab', '--fingerprint', FINGERPRINT)).code).toBe(3)
    expect(cli.world.trusted).toHaveLength(1)
  })
})

describe('doctor', () => {
  it.each([
    [[], 0],
    [[{ check: 'gpus', outcome: 'fail', evidence: 'no nvidia-smi', remedy: 'install the driver' }], 1],
    [[{ check: 'tcp', outcome: 'fail', evidence: 'refused' }], 3],
  ] as const)('with %j ends with %i', async (extra, exit) => {
    cli.world.checks = [
      { check: 'dns', outcome: 'pass', evidence: '10.0.0.1' },
      { check: 'vllm', outcome: 'skipped', evidence: 'not reached' },
      ...extra,
    ]
    const { code, document } = await cli.json('doctor', 'lab')
    expect(code).toBe(exit)
    expect(document).toEqual({ host: 'lab', ok: exit === 0, checks: cli.world.checks })
    const plain = await cli.run('doctor', 'lab')
    for (const check of cli.world.checks) expect(plain.stdout).toContain(check.evidence)
    for (const check of extra) if ('remedy' in check) expect(plain.stdout).toContain(check.remedy)
  })

  it('does not know a host that is not on the list', async () => {
    expect((await cli.run('doctor', 'nope')).code).toBe(2)
  })
})

describe('servers', () => {
  it('launch prints only the id on stdout, phases on stderr', async () => {
    cli.world.launch = () => Promise.resolve({ server, state: 'ready', seconds: 12, phases: [], known: {} })
    const { code, stdout, stderr } = await cli.run('launch', 'lab', '--env', 'main', '--', 'vllm', 'serve', 'M')
    expect([code, stdout]).toEqual([0, 'srv-1\n'])
    expect(stderr).toContain('loading weights  3 of 3 shards')
    expect(cli.world.launched[0]).toMatchObject({ host: 'lab', environment: 'main', text: 'vllm serve M' })
    expect((await cli.json('launch', 'lab', '--', 'vllm', 'serve', 'M')).document).toMatchObject({ id: 'srv-1', state: 'ready' })
    const pasted = await cli.run('launch', 'lab', '--', 'nohup vllm serve M >log.txt; ls')
    expect(pasted.code).toBe(0)
    expect(pasted.stderr).toMatch(/nohup was taken off[\s\S]*; ls behind[\s\S]*>log.txt was taken off[\s\S]*loading weights/)
    expect((await cli.run('launch', 'lab', '--', 'docker run vllm/vllm-openai M')).code).toBe(2)
  })

  it('launch that fails ends with 4 and the lines that say why', async () => {
    const error = {
      code: 'server_failed' as const,
      cause: 'The port is taken.',
      evidence: ['Errno 98'],
      nextStep: 'Leave out --port.',
    }
    cli.world.launch = () => Promise.resolve({ server, state: 'failed', seconds: 2, phases: [], known: {}, error })
    const { code, stdout, stderr } = await cli.run('launch', 'lab', '--', 'vllm', 'serve', 'M')
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('Error: The port is taken.\n  Errno 98\nNext step: Leave out --port.')
    expect((await cli.json('launch', 'lab', '--', 'vllm', 'serve', 'M')).document).toMatchObject({ state: 'failed', error })
    expect((await cli.run('launch', 'lab')).code).toBe(2)
  })

  it('lists, shows logs, stops and adopts', async () => {
    cli.world.servers = [server]
    cli.world.log = 'INFO line\n'
    expect((await cli.json('servers')).document).toMatchObject({ servers: [{ server: { id: 'srv-1' }, state: 'ready' }] })
    expect((await cli.run('logs', 'lab', 'srv-1')).stdout).toBe('INFO line\n')
    expect(await cli.json('stop', 'lab', 'srv-1')).toMatchObject({
      code: 0,
      document: { server: 'srv-1', stopped: true, portFree: true },
    })
    cli.world.stopReport = { ...cli.world.stopReport, stopped: false, left: [{ pid: 7, command: 'VLLM::EngineCore' }] }
    const left = await cli.run('stop', 'lab')
    expect(left.code).toBe(1)
    expect(left.stdout).toContain('VLLM::EngineCore')
    expect((await cli.run('logs', 'lab', 'none')).code).toBe(1)
    expect((await cli.run('adopt', 'lab', '--port', '99999')).code).toBe(2)
    expect((await cli.run('adopt', 'lab', '--port', '8000', '--api-key-env', 'UNSET')).code).toBe(2)
    expect((await cli.run('adopt', 'lab', '--port', '8000')).stdout).toBe('adopted-1\n')
  })

  it('a log steers no terminal, hides nothing and turns nothing around, as text and as JSON', async () => {
    cli.world.servers = [server]
    cli.world.log = 'a\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u001b[0m\u202eevil\u009b1m\nreal\rfake\r\n'
    const { stdout } = await cli.run('logs', 'lab', 'srv-1')
    expect(stdout).toBe('aredevil\nreal\nfake\n')
    const json = await cli.run('--json', 'logs', 'lab', 'srv-1')
    // oxlint-disable-next-line no-control-regex -- they are what this is about
    expect(json.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(JSON.parse(json.stdout)).toMatchObject({ log: cli.world.log })
  })

  it('an address with an account is not echoed, by whatever it comes back', async () => {
    for (const words of [
      ['sweep', '--url', 'http://u:S3cretPw@h:1'],
      ['sweep', '--ulr=http://u:S3cretPw@h:1'],
      ['sweep', '--host', 'http://u:S3cretPw@h:1'],
      ['show', 'http://u:S3c@retPw@h:1'],
      ['report', 'last', '-o', '/nowhere/http://u:S3cretPw@h/x'],
    ]) {
      const { stdout, stderr, code } = await cli.run(...words)
      expect(code, words.join(' ')).not.toBe(0)
      expect(stdout + stderr, words.join(' ')).not.toMatch(/S3c|retPw/)
    }
  })

  it('logs -f ends well at Ctrl-C', async () => {
    cli.world.servers = [server]
    cli.world.log = 'INFO line\n'
    const following = cli.run('logs', 'lab', 'srv-1', '-f')
    await new Promise((resolve) => setTimeout(resolve, 50))
    cli.signal('interrupt')
    expect(await following).toMatchObject({ code: 0, stdout: 'INFO line\n' })
  })
})

describe('history', () => {
  beforeEach(async () => {
    cli.world.script = (id) => [
      helloEntry(id),
      factsEntry(),
      { kind: 'state', state: 'running' },
      plannedEntry([0], [1]),
      attemptEntry(0, 1),
      { kind: 'end', state: 'finished' },
    ]
    await cli.run('sweep', '--host', 'lab', '--contexts', '0', '--concurrency', '1', '--name', 'first')
  })

  it('lists, shows, tags, notes, trashes and restores', async () => {
    expect((await cli.json('runs')).document).toMatchObject({
      runs: [{ id: 'run-1', name: 'first', state: 'finished', cellsDone: 1 }],
    })
    expect((await cli.json('show', 'last')).document).toMatchObject({
      schema: 'speedgrid.run/1',
      id: 'run-1',
      cells: [{ status: 'valid' }],
    })
    expect((await cli.run('show', 'first')).stdout).toContain('1 of 1 cells valid')
    expect((await cli.json('tag', 'first', 'a', 'b')).document).toEqual({ id: 'run-1', tags: ['a', 'b'] })
    expect((await cli.json('tag', 'first', 'a', '--remove')).document).toEqual({ id: 'run-1', tags: ['b'] })
    expect((await cli.json('note', 'first', 'driver', '595')).document).toEqual({ id: 'run-1', note: 'driver 595' })
    expect((await cli.run('trash', 'first', 'typo')).code).toBe(1)
    expect((await cli.json('runs')).document).toMatchObject({ runs: [{ id: 'run-1' }] })
    await cli.run('trash', 'first')
    expect((await cli.json('runs')).document).toEqual({ runs: [], count: 0 })
    expect((await cli.json('runs', '--trashed')).document).toMatchObject({ runs: [{ id: 'run-1' }] })
    await cli.run('restore', 'run-1')
    expect((await cli.json('show', 'run-1')).document).toMatchObject({ tags: ['b'], note: 'driver 595' })
  })

  it('reports to stdout, to a file where it was typed, and into a folder', async () => {
    expect(JSON.parse((await cli.run('report', 'last', '--format', 'json')).stdout)).toMatchObject({ id: 'run-1' })
    expect((await cli.run('report', 'last', '--format', 'md')).stdout).toContain('Speed test matrix')
    const html = await cli.run('report', 'last', '-o', 'r.html')
    expect(html.stdout).toBe(`${join(cli.folder, 'r.html')}\n`)
    expect(readFileSync(join(cli.folder, 'r.html'), 'utf8')).toMatch(/<html/i)
    mkdirSync(join(cli.folder, 'out'))
    const { document } = await cli.json('report', 'last', '--format', 'csv', '-o', 'out')
    expect(document).toMatchObject({ run: 'run-1', format: 'csv' })
    expect(existsSync(String(document.file))).toBe(true)
  })

  it('says which formats there are, and what pictures need where there is no browser', async () => {
    cli.env.SPEEDGRID_CHROMIUM = '/no/such/browser'
    const pdf = await cli.run('report', 'last', '--format', 'pdf')
    expect([pdf.code, pdf.stdout]).toEqual([1, ''])
    expect(pdf.stderr).toContain('needs a Chromium')
    expect(pdf.stderr).toContain('SPEEDGRID_CHROMIUM')
    expect((await cli.run('report', 'last', '--format', 'png', '-o', '-')).code).toBe(2)
    expect((await cli.run('report', 'last', '--format', 'htlm')).stderr).toContain('Did you mean html?')
    expect((await cli.run('report', 'nope')).code).toBe(1)
  })
})
