import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sshdMissing, startSshd, type TestSshd } from './sshd.ts'
import { buildDriver, createSshLab } from './ssh-lab.ts'
import { API_KEY, createLab, hostRequest, type Lab } from './sweep-lab.ts'
import { runDocumentSchema } from '../src/shared/model/run.ts'
import { startTestServer, type TestServer } from '../src/main/driver/run/test-server.ts'

// The parts as they ship: the built driver, a real OpenSSH server, a stand-in for the model server only.
const outDir = mkdtempSync(join(tmpdir(), 'speedgrid-driver-'))
const home = mkdtempSync(join(tmpdir(), 'speedgrid-ssh-home-'))
const missing = sshdMissing()
let sshd: TestSshd
let server: TestServer
let lab: Lab

beforeAll(async () => {
  const driverPath = await buildDriver(outDir)
  server = await startTestServer({ apiKey: API_KEY, gapMs: 5 })
  if (missing !== undefined) return
  sshd = await startSshd({ home })
  lab = await createSshLab({ sshd, homeDir: home, port: Number(new URL(server.baseUrl).port), driverPath })
})
afterAll(async () => {
  await lab?.dispose()
  await sshd?.stop()
  await server?.close()
  for (const folder of [outDir, home]) rmSync(folder, { recursive: true, force: true })
})
const plan = {
  contexts: [256],
  concurrency: [1, 4],
  seconds: 0.5,
  settleSeconds: 0.1,
  maxOutputTokens: 64,
  prefillContexts: [256],
}

test.skipIf(missing !== undefined).each(['host', 'tunnel'] as const)('a real sweep over SSH, driver: %s', async (driver) => {
  const answer = await lab.sweeps.dryRun(hostRequest({ ...plan, driver }))
  expect(answer.cells.map((cell) => cell.verdict)).toEqual(['run', 'run'])
  const handle = await lab.sweeps.start(hostRequest({ ...plan, driver }))
  expect(await handle.finished).toMatchObject({ state: 'finished' })
  const document = lab.store.runs.document(handle.runId)
  expect(runDocumentSchema.parse(document)).toEqual(document)
  expect(document.cells.map((cell) => [cell.status, cell.reason])).toEqual(Array.from({ length: 2 }, () => ['valid', undefined]))
  expect(document.cells.every((cell) => (cell.totalTokensPerSecond ?? 0) > 0)).toBe(true)
  expect(document.prefill).toMatchObject([{ contextTokens: 256, status: 'valid', promptTokens: 256 }])
  expect(document).toMatchObject({ path: { driver }, state: 'finished' })
  expect(document.timing.windowSeconds).toBeGreaterThan(0.9)
  expect(document.timing.wallSeconds).toBeGreaterThan(document.timing.windowSeconds)
  expect(lab.leftFolders()).not.toContain(handle.runId)
  for (const name of readdirSync(lab.dataDir)) expect(readFileSync(join(lab.dataDir, name), 'latin1')).not.toContain(API_KEY)
})

test.skipIf(missing !== undefined)(
  'the connection is cut in the middle of a cell; the sweep runs on and is read on',
  async () => {
    const handle = await lab.sweeps.start(hostRequest({ ...plan, seconds: 1.5, driver: 'host' }))
    const states: string[] = []
    handle.onLink((state) => states.push(state.state))
    await new Promise<void>((resolvePromise) => handle.onLine((line) => line.kind === 'live' && resolvePromise()))
    sshd.cutConnections()
    expect(await handle.finished).toMatchObject({ state: 'finished' })
    const document = lab.store.runs.document(handle.runId)
    expect(document.cells.map((cell) => [cell.status, cell.attempts])).toEqual(Array.from({ length: 2 }, () => ['valid', 1]))
    expect([...lab.store.runs.lines(handle.runId)].filter((line) => line.kind === 'hello')).toHaveLength(1)
    expect(lab.leftFolders()).toEqual([])
  },
)

test('a wrong key is the server’s own answer, with what to do', async () => {
  const local = await createLab({ driverPath: join(outDir, 'driver.mjs') })
  const request = { ...hostRequest(plan), target: { kind: 'url' as const, url: server.baseUrl, apiKey: 'sk-wrong' } }
  const error: unknown = await local.sweeps.dryRun(request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ code: 'unauthorized' })
  const handle = await local.sweeps.start(request)
  expect(await handle.finished).toMatchObject({ state: 'failed', error: { code: 'unauthorized' } })
  expect(local.leftFolders()).toEqual([])
  await local.dispose()
})
