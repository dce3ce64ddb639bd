import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../src/main/driver/run/test-server.ts'
import { isProcessAlive } from '../src/main/store/index.ts'
import type { SweepRequest } from '../src/main/sweep/types.ts'
import { sshdMissing, startSshd, type TestSshd } from './sshd.ts'
import { buildDriver, createSshLab, type SshLabOptions } from './ssh-lab.ts'
import { API_KEY, hostRequest, type Lab } from './sweep-lab.ts'

// A run that goes on after its engine, its driver or both were ended measures everything that is missing, once, and loses nothing: with the
// built driver, over a real sshd, each engine in a process of its own.
const outDir = mkdtempSync(join(tmpdir(), 'speedgrid-driver-'))
const home = mkdtempSync(join(tmpdir(), 'speedgrid-ssh-home-'))
const missing = sshdMissing()
let sshd: TestSshd
let server: TestServer
let lab: Lab
let options: SshLabOptions
const engines: ChildProcess[] = []

beforeAll(async () => {
  if (missing !== undefined) return
  const driverPath = await buildDriver(outDir)
  server = await startTestServer({ apiKey: API_KEY, gapMs: 5 })
  sshd = await startSshd({ home })
  options = { sshd, homeDir: home, port: Number(new URL(server.baseUrl).port), driverPath }
  lab = await createSshLab(options)
})
afterAll(async () => {
  for (const engine of engines) engine.kill('SIGKILL')
  await lab?.dispose()
  await sshd?.stop()
  await server?.close()
  for (const folder of [outDir, home]) rmSync(folder, { recursive: true, force: true })
})

type Place = 'host' | 'tunnel' | 'local'

function requestFor(place: Place, change: object = {}): SweepRequest {
  const plan = {
    contexts: [256, 512],
    concurrency: [1, 4],
    seconds: 0.5,
    settleSeconds: 0.1,
    maxOutputTokens: 64,
    prefillContexts: [256],
    ...change,
  }
  if (place !== 'local') return hostRequest({ ...plan, driver: place })
  return { ...hostRequest(plan), target: { kind: 'url', url: server.baseUrl, apiKey: API_KEY } }
}

/** Another engine on the same data folder, once it has stored its second cell. */
async function startEngine(request: SweepRequest) {
  const argument = JSON.stringify({ lab: { ...options, dataDir: lab.dataDir }, request })
  const engine = spawn(process.execPath, [join(import.meta.dirname, 'ssh-engine.ts'), argument], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Whatever a killed engine leaves in there goes with the lab.
    env: { ...process.env, TMPDIR: lab.root },
  })
  engines.push(engine)
  const gone = new Promise<void>((resolve) => engine.once('exit', () => resolve()))
  const runId = await new Promise<string>((resolve, reject) => {
    let said = ''
    engine.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.trim().split('\n').length >= 2) resolve(said.slice(0, 10))
    })
    void gone.then(() => reject(new Error('the engine ended too early')))
  })
  const folder = lab.store.runs.location(runId)?.folder ?? ''
  const { pid } = JSON.parse(readFileSync(join(folder, 'driver.json'), 'utf8')) as { pid: number }
  return { engine, gone, runId, driverPid: pid }
}

async function untilGone(pid: number): Promise<void> {
  while (isProcessAlive(pid, '')) await delay(20)
}

/** Resumes and expects that nothing was lost on the way, nor measured twice. */
async function expectWholeAfterResume(runId: string): Promise<void> {
  const stored = lab.store.runs.lastLine(runId)
  const handle = await lab.sweeps.resume(runId, { apiKey: API_KEY })
  const numbers: number[] = []
  handle.onLine((line) => numbers.push(line.n), { afterLine: stored })
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  const document = lab.store.runs.document(runId)
  expect(document.cells.map((cell) => [cell.status, cell.reason])).toEqual(Array.from({ length: 4 }, () => ['valid', undefined]))
  expect(document.prefill.map((row) => [row.contextTokens, row.status])).toContainEqual([256, 'valid'])
  expect(document.events.filter((event) => event.level === 'error')).toEqual([])
  const valid = lab.store.runs.attempts(runId).filter((attempt) => attempt.status === 'valid')
  expect(new Set(valid.map((attempt) => `${String(attempt.contextTokens)}/${String(attempt.concurrency)}`)).size).toBe(4)
  expect(valid).toHaveLength(4)
  // Of the last driver every single line arrived.
  const hello = [...lab.store.runs.lines(runId)].findLast((line) => line.kind === 'hello')
  const own = numbers.filter((number) => number >= (hello?.n ?? 0))
  expect(own).toEqual(own.map((_, index) => (own[0] ?? 0) + index))
  expect(lab.leftFolders()).toEqual([])
}

test.skipIf(missing !== undefined).each(['host', 'tunnel', 'local'] as const)(
  'engine and driver are killed at once, driver: %s',
  async (place) => {
    const { engine, gone, runId, driverPid } = await startEngine(requestFor(place))
    engine.kill('SIGKILL')
    process.kill(driverPid, 'SIGKILL')
    await gone
    await untilGone(driverPid)
    await expectWholeAfterResume(runId)
  },
)

test.skipIf(missing !== undefined).each(['host', 'tunnel', 'local'] as const)(
  'interrupted, and left 300 ms later, driver: %s',
  async (place) => {
    const { engine, gone, runId } = await startEngine(requestFor(place))
    engine.stdin.write('interrupt\n')
    await delay(300)
    engine.stdin.write('leave\n')
    await gone
    await expectWholeAfterResume(runId)
  },
)

test.skipIf(missing !== undefined)('nobody has read for as long as the plan allows', async () => {
  // 3.6 seconds; what is left of the plan takes longer.
  const { engine, gone, runId, driverPid } = await startEngine(requestFor('host', { ackLimitHours: 0.001, seconds: 2.5 }))
  engine.kill('SIGKILL')
  await gone
  await untilGone(driverPid)
  await expectWholeAfterResume(runId)
})
