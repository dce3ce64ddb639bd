import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest'
import type { SpoolLine } from '../src/shared/model/spool.ts'
import type { SweepHandle } from '../src/main/sweep/types.ts'
import { sshConnector, sshHost } from './real-ssh.ts'
import { sshdMissing, startSshd, type TestSshd } from './sshd.ts'
import { API_KEY, createLab, hostRequest, type Lab } from './sweep-lab.ts'

// The parts as they ship (built driver, real sshd, real processes); only the model server is a stand-in.
const outDir = mkdtempSync(join(tmpdir(), 'speedgrid-driver-'))
const driverPath = join(outDir, 'driver.mjs')
const missing = sshdMissing()

beforeAll(async () => {
  const configFile = resolve(import.meta.dirname, '../vite.driver.config.ts')
  await build({ root: resolve(configFile, '..'), configFile, logLevel: 'error', build: { outDir } })
})
afterAll(() => rmSync(outDir, { recursive: true, force: true }))

const PLAN = {
  contexts: [256],
  concurrency: [1, 2, 4],
  seconds: 1,
  settleSeconds: 0.1,
  maxOutputTokens: 4096,
  prefillContexts: [256, 512],
}

interface Server {
  port: number
  kill(): Promise<void>
  /** At the same port. */
  start(): Promise<void>
}

async function startServer(context: TestContext): Promise<Server> {
  let child: ChildProcess
  const server: Server = {
    port: 0,
    async kill() {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGKILL')
      await ended
    },
    async start() {
      const script = join(import.meta.dirname, 'server-process.ts')
      child = spawn(process.execPath, [script, String(server.port), API_KEY], { stdio: ['ignore', 'pipe', 'inherit'] })
      const url = await new Promise<string>((done, fail) => {
        child.stdout?.once('data', (chunk: Buffer) => done(chunk.toString().trim()))
        child.once('exit', (code) => fail(new Error(`the server ended with ${String(code)}`)))
      })
      server.port = Number(new URL(url).port)
    },
  }
  context.onTestFinished(() => void child.kill('SIGKILL'))
  await server.start()
  return server
}

interface Place {
  lab: Lab
  home: string
  server: Server
  sshd: () => TestSshd
  /** As if the host had been away: sshd and all its connections are gone for a while. */
  takeAway: (ms: number) => Promise<void>
}

async function place(context: TestContext): Promise<Place> {
  const home = mkdtempSync(join(tmpdir(), 'speedgrid-away-'))
  const server = await startServer(context)
  let sshd = await startSshd({ home, keepFolder: true })
  const ssh = sshConnector(home)
  const link = await ssh.connect(sshHost(sshd))
  const lab = await createLab({ link, homeDir: home, port: server.port, driverPath, known: {} })
  context.onTestFinished(async () => {
    await lab.dispose()
    await ssh.dispose()
    await sshd.stop()
    for (const folder of [home, sshd.folder]) rmSync(folder, { recursive: true, force: true })
  })
  return {
    lab,
    home,
    server,
    sshd: () => sshd,
    async takeAway(ms) {
      const { port, folder } = sshd
      await sshd.stop()
      await delay(ms)
      sshd = await startSshd({ home, port, folder, keepFolder: true })
    },
  }
}

const seen = (handle: SweepHandle, wanted: (line: SpoolLine) => boolean) =>
  new Promise<void>((done) => handle.onLine((line) => void (wanted(line) && done())))
const statuses = (lab: Lab, id: string) => [
  ...lab.store.runs.document(id).cells.map((cell) => `${String(cell.concurrency)} ${cell.status}`),
  ...lab.store.runs.document(id).prefill.map((row) => `prefill ${String(row.contextTokens)} ${row.status}`),
]
const ALL_VALID = ['1 valid', '2 valid', '4 valid', 'prefill 256 valid', 'prefill 512 valid']
/** No try at anything ended as an error on the way. */
const errorsOf = (lab: Lab, id: string) =>
  [...lab.store.runs.lines(id)].filter(
    (line) =>
      (line.kind === 'attempt' && line.record.status === 'error') || (line.kind === 'prefill' && line.result.status === 'error'),
  )
const MOMENTS: Record<string, (line: SpoolLine) => boolean> = {
  preparing: (line) => line.kind === 'state' && line.state === 'preparing',
  'warming up': (line) => line.kind === 'state' && line.state === 'running',
  'a window': (line) => line.kind === 'live' && line.phase === 'window',
}

/** An engine in a process of its own that sweeps through the tunnel, once it has stored a line of this kind. */
async function engineUntil(context: TestContext, { lab, home, server, sshd }: Place, kind: string, plan = PLAN) {
  const { port, user, clientKeyPath } = sshd()
  const input = { home, dataDir: lab.dataDir, sshd: { port, user, clientKeyPath }, port: server.port, driverPath, plan }
  const engine = spawn(process.execPath, [join(import.meta.dirname, 'tunnel-engine.ts'), JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: lab.root },
  })
  context.onTestFinished(() => void engine.kill('SIGKILL'))
  const ended = new Promise((done) => engine.once('exit', done))
  let said = ''
  await new Promise<void>((done) => {
    engine.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes(`\n${kind}\n`)) done()
    })
  })
  return { engine, ended, runId: /^run (\S+)/.exec(said)?.[1] ?? '' }
}

describe.skipIf(missing !== undefined)('a tunnel whose host is away for a while', () => {
  test.concurrent.for([
    [500, 'a window'],
    [2500, 'warming up'],
    [9000, 'a window'],
    [3000, 'preparing'],
  ] as const)('%i ms, in %s: nothing is lost, nothing fails, and it is said', async ([ms, moment], context) => {
    const { lab, takeAway } = await place(context)
    const handle = await lab.sweeps.start(hostRequest({ ...PLAN, driver: 'tunnel' }))
    const links: string[] = []
    handle.onLink(({ state }) => links.push(state))
    await seen(handle, MOMENTS[moment] ?? (() => false))
    await takeAway(ms)
    expect(await handle.finished).toMatchObject({ state: 'finished' })
    expect(statuses(lab, handle.runId)).toEqual(ALL_VALID)
    expect(errorsOf(lab, handle.runId)).toEqual([])
    expect(links).toContain('link_down')
    expect(links.at(-1)).toBe('reading')
  })

  test.concurrent.for(['tunnel', 'host'] as const)(
    'that says nothing for 15 s is said to be down meanwhile (%s)',
    async (driver, context) => {
      const { lab, sshd } = await place(context)
      const handle = await lab.sweeps.start(hostRequest({ ...PLAN, seconds: 3, driver }))
      const links: string[] = []
      handle.onLink(({ state }) => links.push(state))
      await seen(handle, MOMENTS['a window'] ?? (() => false))
      const goOn = sshd().freezeConnections()
      const frozenAtMs = Date.now()
      await expect.poll(() => links.at(-1), { timeout: 14_000, interval: 20 }).toBe('link_down')
      const saidAfterMs = Date.now() - frozenAtMs
      await delay(15_000 - saidAfterMs)
      goOn()
      expect(await handle.finished).toMatchObject({ state: 'finished' })
      expect(statuses(lab, handle.runId)).toEqual(ALL_VALID)
      expect(errorsOf(lab, handle.runId)).toEqual([])
      await context.annotate(`said after ${String(saidAfterMs)} ms`)
    },
  )

  test.concurrent.for(['state', 'prefill', 'live', 'attempt'])(
    'an engine that is killed at its first %s line leaves a run that is resumed whole',
    async (kind, context) => {
      const here = await place(context)
      const { lab } = here
      const { engine, ended, runId } = await engineUntil(context, here, kind)
      engine.kill('SIGKILL')
      await ended
      const handle = await lab.sweeps.resume(runId)
      expect(await handle.finished).toMatchObject({ state: 'finished' })
      expect(statuses(lab, runId)).toEqual(ALL_VALID)
      expect(errorsOf(lab, runId)).toEqual([])
    },
  )
})

test.skipIf(missing !== undefined)(
  'an engine that stands still for a while carries nothing meanwhile: nobody else is blamed',
  async (context) => {
    const here = await place(context)
    // Windows long enough that it is stopped in one of them, however late we hear of the first.
    const { engine, ended, runId } = await engineUntil(context, here, 'live', { ...PLAN, seconds: 5 })
    engine.kill('SIGSTOP')
    await delay(7000)
    engine.kill('SIGCONT')
    await ended
    const { store } = here.lab
    expect(store.runs.find(runId).state).toBe('finished')
    expect(statuses(here.lab, runId)).toEqual(ALL_VALID)
    expect(errorsOf(here.lab, runId)).toEqual([])
  },
)

describe.skipIf(missing !== undefined)('a server that is killed', () => {
  const cases = (['host', 'tunnel'] as const).flatMap((driver) =>
    Object.keys(MOMENTS).map((moment) => ({ driver, moment, isThere: MOMENTS[moment] ?? (() => false) })),
  )

  test.concurrent.for(cases)(
    '$driver, in $moment: the run is interrupted, and resumed as its message says',
    async ({ driver, isThere }, context) => {
      const { lab, server } = await place(context)
      const handle = await lab.sweeps.start(hostRequest({ ...PLAN, driver }))
      await seen(handle, isThere)
      await server.kill()
      const outcome = await handle.finished
      expect(outcome).toMatchObject({ state: 'interrupted', error: { code: 'server_gone' } })
      expect(outcome.error?.nextStep).toContain('resume the run')
      const { cellsDone } = lab.store.runs.find(handle.runId)
      expect(cellsDone).toBe(statuses(lab, handle.runId).filter((text) => /^\d+ valid/.test(text)).length)
      expect(statuses(lab, handle.runId).every((text) => /valid$|pending$/.test(text))).toBe(true)
      await server.start()
      const again = await lab.sweeps.resume(handle.runId)
      expect(await again.finished).toMatchObject({ state: 'finished' })
      expect(statuses(lab, handle.runId)).toEqual(ALL_VALID)
      expect(errorsOf(lab, handle.runId)).toEqual([])
    },
  )

  test.concurrent.for(cases)('$driver, in $moment: is waited for, and nothing is lost', async ({ driver, isThere }, context) => {
    const { lab, server } = await place(context)
    const handle = await lab.sweeps.start(hostRequest({ ...PLAN, driver, onServerGone: 'wait' }))
    await seen(handle, isThere)
    await server.kill()
    await delay(1500)
    await server.start()
    expect(await handle.finished).toMatchObject({ state: 'finished' })
    expect(statuses(lab, handle.runId)).toEqual(ALL_VALID)
    expect(errorsOf(lab, handle.runId)).toEqual([])
  })
})
