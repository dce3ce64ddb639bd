import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunDocument } from '../../src/shared/model/run.ts'
import { filesWith, type Lab, openLab, processes } from './lab.ts'

// One vLLM serves the whole file: it takes a minute to start. The tests go on from each other, in order.
describe('the whole job on a real vLLM over a real sshd', () => {
  let lab: Lab
  let serverId = ''
  let serverSession = 0
  let serverPort = 0

  beforeAll(async () => {
    lab = await openLab()
  })
  afterAll(async () => {
    if (serverId) await lab.person.run(['stop', 'lab', serverId])
    await lab?.dispose()
  })

  const sweep = (...args: string[]) => lab.person.json<RunDocument>(['sweep', '--host', 'lab', ...args])
  const cellNames = (run: RunDocument) =>
    run.cells.map((cell) => `${cell.contextTokens} × ${cell.concurrency}: ${cell.status} ${cell.reason ?? ''}`)

  it('adds the host, refuses its unknown key, then trusts it', async () => {
    const { person, sshd } = lab
    await person.json(['hosts', 'add', 'lab', `${sshd.user}@127.0.0.1:${sshd.port}`, '--identity', sshd.clientKeyPath])
    const refused = await person.run(['doctor', 'lab'])
    expect(refused.code).not.toBe(0)
    const unknown = await person.run(['inventory', 'lab'])
    expect(unknown.code).toBe(3)
    expect(unknown.stderr).toContain(sshd.hostKeyFingerprint)
    const trusted = await person.run(['hosts', 'trust', 'lab', '--fingerprint', sshd.hostKeyFingerprint])
    expect(trusted.stderr + trusted.stdout).toContain(sshd.hostKeyFingerprint)
    expect(trusted.code).toBe(0)
  })

  it('launches the server, shows its phases and keeps the key to the environment', async () => {
    const launch = lab.person.start(['launch', 'lab', '--env', lab.vllm, '--name', 'tiny', '--json', '--', ...lab.serveWords()])
    const outcome = await launch.done
    expect(outcome.code, outcome.stderr).toBe(0)
    const launched = JSON.parse(outcome.stdout)
    expect(launched.state).toBe('ready')
    expect(launched.phases.length).toBeGreaterThan(5)
    expect(launched.known.kvTokens).toBe(6_291_456)
    serverId = launched.id
    serverPort = launched.server.port
    serverSession = launched.server.identity.session
    expect(launched.server.startedArgv.join(' ')).toContain('--host 127.0.0.1')
  })

  it('passes the doctor', async () => {
    const outcome = await lab.person.run(['doctor', 'lab'])
    expect(outcome.stdout + outcome.stderr).toMatch(/authentication/)
    expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0)
  })

  it('tells before a sweep which cells can run: 42 of 48', async () => {
    const dry = await lab.person.json<{ cells: { verdict: string; contextTokens: number; concurrency: number }[] }>(
      'sweep --host lab --contexts 8k,16k,32k,64k,128k,251k --concurrency 1,2,4,8,16,32,64,128 --max-output 4096 --dry-run'.split(
        ' ',
      ),
    )
    expect(dry.cells.filter((cell) => cell.verdict === 'run')).toHaveLength(42)
    const over = dry.cells
      .filter((cell) => cell.verdict === 'over_capacity')
      .map((cell) => `${cell.contextTokens / 1024}K × ${cell.concurrency}`)
    expect(over.toSorted()).toEqual(['64K × 128', '128K × 64', '128K × 128', '251K × 32', '251K × 64', '251K × 128'].toSorted())
  })

  it('refuses a context that cannot fit, with the numbers', async () => {
    const outcome = await lab.person.run('sweep --host lab --contexts 300k --concurrency 1 --dry-run'.split(' '))
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toMatch(/262,?144/)
  })

  it('sweeps from the host: every cell valid, lengths exact, counts as the server counts', async () => {
    const run = await sweep(
      ...'--driver host --contexts 0,2k,8k --concurrency 1,8,32 --seconds 4 --max-output 1024 --prefill-contexts 2k,8k'.split(
        ' ',
      ),
    )
    expect(run.state).toBe('finished')
    expect(run.path.driver).toBe('host')
    expect(cellNames(run).filter((name) => !name.includes('valid'))).toEqual([])
    expect(run.cells).toHaveLength(9)
    for (const cell of run.cells) {
      const name = `${cell.contextTokens} × ${cell.concurrency}`
      if (cell.contextTokens > 0) expect(cell.promptTokens, name).toBe(cell.contextTokens)
      // Each event is one token, and vLLM has a counter: no running count is asked for.
      expect(['final_usage', 'server_counter'], name).toContain(cell.tokenSource)
      expect(cell.totalTokensPerSecond, name).toBeGreaterThan(0)
      expect(cell.outputTokens, name).toBeGreaterThan(0)
      expect(Math.abs(cell.serverCheck?.differencePercent ?? 0), name).toBeLessThan(1)
    }
    // Where the counter corrects the count, it can't check it as well.
    const seen = run.cells.filter((cell) => cell.serverCheck !== undefined || cell.tokenSource === 'server_counter')
    expect(seen.length).toBeGreaterThanOrEqual(5)
    expect(run.prefill.map((row) => [row.contextTokens, row.status, row.promptTokens, row.cachedTokens])).toEqual([
      [2048, 'valid', 2048, 0],
      [8192, 'valid', 8192, 0],
    ])
  })

  it('sweeps through the tunnel', async () => {
    const run = await sweep(...'--driver tunnel --contexts 1k --concurrency 1,8 --seconds 3 --max-output 512'.split(' '))
    expect(run.path.driver).toBe('tunnel')
    expect(cellNames(run).filter((name) => !name.includes('valid'))).toEqual([])
    expect(run.cells.map((cell) => cell.promptTokens)).toEqual([1024, 1024])
  })

  it('calls a stream that repeats itself looped', async () => {
    const run = await sweep(...'--contexts 1k --concurrency 2 --seconds 20 --max-output 8192 --temperature 0'.split(' '))
    const [cell] = run.cells
    expect(cell?.status, cell?.reason).toBe('looped')
    expect(cell).toMatchObject({ completedRequests: 0, outputTokens: 0 })
    expect(cell?.totalTokensPerSecond).toBeUndefined()
  })

  it('reports what was measured', async () => {
    const html = await lab.person.run(['report', 'last', '--format', 'html', '-o', `${lab.person.home}/report.html`])
    expect(html.code, html.stderr).toBe(0)
    const csv = await lab.person.run(['report', 'last', '--format', 'csv', '-o', `${lab.person.home}/report.csv`])
    expect(csv.code, csv.stderr).toBe(0)
  })

  it('goes on at the host when the engine is killed; resume stores every cell once', async () => {
    const killed = lab.person.start(
      'sweep --host lab --driver host --contexts 0,1k --concurrency 1,4 --seconds 4 --max-output 512 --name killed'.split(' '),
    )
    await killed.saw(/cell .*tok\/s/)
    killed.child.kill('SIGKILL')
    await killed.done
    await sleep(5_000)
    const run = await lab.person.json<RunDocument>(['resume', 'killed'])
    expect(run.state).toBe('finished')
    expect(run.cells.map((cell) => [cell.status, cell.attempts])).toEqual(Array.from({ length: 4 }, () => ['valid', 1]))
  })

  it('goes on when the SSH connection is cut in the middle of a cell', async () => {
    const cut = lab.person.start(
      'sweep --host lab --driver host --contexts 0,1k --concurrency 2 --seconds 5 --max-output 512 --name cut --json'.split(' '),
    )
    await cut.saw(/running/)
    await sleep(3_000)
    expect(lab.sshd.cutConnections()).toBeGreaterThan(0)
    const outcome = await cut.done
    expect(outcome.code, outcome.stderr).toBe(0)
    const run = JSON.parse(outcome.stdout) as RunDocument
    expect(run.cells.map((cell) => [cell.status, cell.attempts])).toEqual([
      ['valid', 1],
      ['valid', 1],
    ])
  })

  it('keeps the API key to the server', async () => {
    const own = processes().filter((entry) => entry.session === serverSession)
    const key = own.map((entry) => entry.environ.match(/VLLM_API_KEY=([^\0]+)/)?.[1]).find((found) => found !== undefined)
    expect(key).toMatch(/^[\w-]{20,}$/)
    if (!key) throw new Error('the key was not found where it has to be')
    const foreign = processes().filter((entry) => entry.session !== serverSession)
    expect(foreign.filter((entry) => entry.argv.includes(key) || entry.environ.includes(key)).map((entry) => entry.argv)).toEqual(
      [],
    )
    expect(own.filter((entry) => entry.argv.includes(key))).toEqual([])
    expect(filesWith(key, [lab.hostHome, lab.person.home, lab.person.dataDir])).toEqual([])
  })

  it('interrupts the run when the server dies, its cells pending; stop clears its orphans', async () => {
    const dying = lab.person.start(
      'sweep --host lab --driver host --contexts 0 --concurrency 4,8 --seconds 15 --max-output 512 --json'.split(' '),
    )
    await dying.saw(/running/)
    await sleep(6_000)
    const leader = processes().find((entry) => entry.pid === serverSession)
    expect(leader?.argv).toContain('serve')
    process.kill(serverSession, 'SIGKILL')
    const outcome = await dying.done
    const run = JSON.parse(outcome.stdout) as RunDocument
    expect(run.state, outcome.stderr).toBe('interrupted')
    expect(run.reason).toContain('The server is gone')
    expect(run.cells.map((cell) => cell.status)).toEqual(['pending', 'pending'])
    expect(outcome.code).toBe(3)
    // The API server is gone, its engine is not: a real orphan.
    expect(processes().filter((entry) => entry.session === serverSession).length).toBeGreaterThan(0)
    const stop = await lab.person.json<{ stopped: boolean; left: unknown[]; portFree: boolean; signalled: unknown[] }>([
      'stop',
      'lab',
      serverId,
    ])
    expect(stop).toMatchObject({ stopped: true, left: [], portFree: true })
    expect(stop.signalled.length).toBeGreaterThan(0)
    expect(processes().filter((entry) => entry.session === serverSession)).toEqual([])
    serverId = ''
  })

  it('leaves nothing on the host', async () => {
    expect(lab.leftOnHost().filter((path) => path !== 'runs' && path !== 'servers')).toEqual([])
    expect(processes().filter((entry) => entry.argv.includes(lab.hostHome))).toEqual([])
    await expect(fetch(`http://127.0.0.1:${serverPort}/health`)).rejects.toThrow()
  })
})
