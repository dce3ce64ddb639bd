import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunDocument } from '../../src/shared/model/run.ts'
import { type Lab, openLab, processes } from './lab.ts'

// What breaks in the middle of a sweep over a real vLLM and a real sshd, as a person at the command line sees it.
describe('what breaks off is measured again', () => {
  let lab: Lab
  let serverId = ''
  let serverSession = 0

  const launch = async () => {
    const outcome = await lab.person.run(['launch', 'lab', '--env', lab.vllm, '--json', '--', ...lab.serveWords()])
    expect(outcome.code, outcome.stderr).toBe(0)
    const launched = JSON.parse(outcome.stdout) as { id: string; state: string; server: { identity: { session: number } } }
    expect(launched.state).toBe('ready')
    serverId = launched.id
    serverSession = launched.server.identity.session
  }
  const sweepArgs = (...more: string[]) => [
    ...'sweep --host lab --contexts 0,2k --concurrency 1,4 --seconds 5 --max-output 1024 --prefill-contexts 2k'.split(' '),
    ...more,
  ]
  const shown = () => lab.person.json<RunDocument>(['show', 'last'])
  const cellNames = (run: RunDocument) => run.cells.map((cell) => `${cell.contextTokens} × ${cell.concurrency}: ${cell.status}`)
  const ALL_VALID = ['0 × 1: valid', '0 × 4: valid', '2048 × 1: valid', '2048 × 4: valid']

  beforeAll(async () => {
    lab = await openLab()
    const { person, sshd } = lab
    await person.json(['hosts', 'add', 'lab', `${sshd.user}@127.0.0.1:${sshd.port}`, '--identity', sshd.clientKeyPath])
    await person.run(['hosts', 'trust', 'lab', '--fingerprint', sshd.hostKeyFingerprint])
    await launch()
  })
  afterAll(async () => {
    if (serverId) await lab.person.run(['stop', 'lab', serverId])
    await lab?.dispose()
  })

  it('a link that says nothing for 15 s is said to be down at the terminal, and the cell is measured again', async () => {
    const sweep = lab.person.start(sweepArgs('--driver', 'tunnel'))
    await sweep.saw(/cell 0 × 1:/)
    await sleep(6000)
    const goOn = lab.sshd.freezeConnections()
    const frozenAtMs = Date.now()
    await sweep.saw(/link to the host is down, the sweep waits for it/)
    const saidAfterMs = Date.now() - frozenAtMs
    await sleep(15_000 - saidAfterMs)
    goOn()
    const outcome = await sweep.done
    expect(outcome.code, outcome.stderr).toBe(0)
    expect(outcome.stderr).toMatch(/broken off, to be measured again: the link to the host was lost/)
    expect(cellNames(await shown())).toEqual(ALL_VALID)
    process.stdout.write(`said after ${saidAfterMs} ms\n${outcome.stderr}\n`)
  })

  it("vLLM's engine dies in a cell: interrupted, and resumed with the server that is launched anew", async () => {
    const sweep = lab.person.start(sweepArgs('--driver', 'host'))
    await sweep.saw(/cell 0 × 1:/)
    await sleep(6000)
    // Of our own server only: others may run theirs on this machine.
    const engine = processes().find(({ argv, session }) => session === serverSession && argv.startsWith('VLLM::EngineCore'))
    if (engine === undefined) throw new Error('the server has no engine process')
    process.kill(engine.pid, 'SIGKILL')
    const outcome = await sweep.done
    process.stdout.write(`${outcome.stderr}\n${outcome.stdout}\n`)
    expect(outcome.code).toBe(3)
    expect(outcome.stderr).toMatch(/The server is gone/)
    expect(outcome.stderr).toMatch(/Go on with: speedgrid resume/)
    const broken = await shown()
    expect(broken.state).toBe('interrupted')
    expect(broken.cells.every((cell) => cell.status === 'valid' || cell.status === 'pending')).toBe(true)

    await launch()
    const resumed = await lab.person.run(['resume', 'last'])
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(cellNames(await shown())).toEqual(ALL_VALID)
  })
})
