import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { processIdentitySchema } from '../../shared/model/server.ts'
import { type SpoolLine, spoolLineSchema } from '../../shared/model/spool.ts'
import { startTestServer, type TestServer } from './run/test-server.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
const KEY = 'sk-very-secret'
const PLAN = { contexts: [0, 256], concurrency: [1, 2], seconds: 0.6, settleSeconds: 0.05, maxOutputTokens: 5000 }

let server: TestServer
let folder: string
let child: ChildProcess | undefined

beforeEach(async () => {
  server = await startTestServer({ apiKey: KEY, gapMs: 4 })
  folder = mkdtempSync(join(tmpdir(), 'speedgrid-run-'))
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  code: number | null
  signal: string | null
  stderr: string
}

function writeJob(job: object = {}): void {
  writeFileSync(
    join(folder, 'job.json'),
    JSON.stringify({
      schema: 'speedgrid.job/1',
      runId: 'run',
      epoch: 1,
      plan: PLAN,
      target: { baseUrl: server.baseUrl },
      place: 'local',
      ...job,
    }),
  )
}

function start(args: string[] = [folder]): { child: ChildProcess; ended: Promise<Ended>; stdout: () => string } {
  const started = spawn(process.execPath, [MAIN, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  child = started
  let stderr = ''
  let stdout = ''
  started.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  started.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  const ended = new Promise<Ended>((resolve) => started.on('close', (code, signal) => resolve({ code, signal, stderr })))
  return { child: started, ended, stdout: () => stdout }
}

const tellKey = (process: ChildProcess, end = false) => {
  process.stdin?.write(`${JSON.stringify({ kind: 'secret', apiKey: KEY })}\n`)
  if (end) process.stdin?.end()
}

function spoolLines(): SpoolLine[] {
  const path = join(folder, 'spool.jsonl')
  if (!existsSync(path)) return []
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return whole.filter((line) => line !== '').map((line) => spoolLineSchema.parse(JSON.parse(line)))
}

async function waitFor(condition: () => boolean): Promise<void> {
  const end = Date.now() + 20_000
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain; spool: ${JSON.stringify(spoolLines().at(-1))}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const hasPhase = (phase: string) => () => spoolLines().some((line) => line.kind === 'cell' && line.phase === phase)

describe('the driver as a process', () => {
  it('tells its version and how to use it', async () => {
    const version = start(['--version'])
    expect(await version.ended).toMatchObject({ code: 0 })
    expect(version.stdout()).toMatch(/^speedgrid-driver \d+\.\d+\.\d+\n$/)
    expect(await start([]).ended).toMatchObject({ code: 2, stderr: expect.stringContaining('usage') })
    expect(await start([folder]).ended).toMatchObject({ code: 1, stderr: expect.stringContaining('job.json') })
  })

  it('carries out a job, identifies itself, and writes the key nowhere', async () => {
    writeJob()
    const run = start()
    tellKey(run.child)
    const ended = await run.ended
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const lines = spoolLines()
    expect(lines.map((line) => line.n)).toEqual(lines.map((_, index) => index + 1))
    expect(lines[0]).toMatchObject({ kind: 'hello', runId: 'run', place: 'local', pid: run.child.pid })
    expect(lines.filter((line) => line.kind === 'attempt').length).toBe(4)
    expect(lines.at(-1)).toMatchObject({ kind: 'end', state: 'finished' })
    const identity = processIdentitySchema.parse(JSON.parse(readFileSync(join(folder, 'driver.json'), 'utf8')))
    expect(identity.pid).toBe(run.child.pid)
    for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file), 'utf8')).not.toContain(KEY)
  })

  it('on a host goes on when its input ends', async () => {
    writeJob({ place: 'host', plan: { ...PLAN, contexts: [0], concurrency: [1] } })
    const run = start()
    tellKey(run.child, true)
    expect(await run.ended).toMatchObject({ code: 0 })
    expect(spoolLines().at(-1)).toMatchObject({ kind: 'end', state: 'finished' })
  })

  it('beside the engine ends as interrupted when the engine dies', async () => {
    writeJob({ plan: { ...PLAN, seconds: 60 } })
    const run = start()
    tellKey(run.child)
    await waitFor(hasPhase('window'))
    run.child.stdin?.end()
    expect(await run.ended).toMatchObject({ code: 0 })
    expect(spoolLines().at(-1)).toMatchObject({ kind: 'end', state: 'interrupted', reason: 'the engine has ended' })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s', async (signal) => {
    writeJob({ place: 'host', plan: { ...PLAN, seconds: 60 } })
    const run = start()
    tellKey(run.child, true)
    await waitFor(hasPhase('fill'))
    run.child.kill(signal)
    expect(await run.ended).toMatchObject({ code: 0, signal: null })
    expect(spoolLines().at(-1)).toMatchObject({ kind: 'end', state: 'interrupted', reason: `ended by ${signal}` })
    await waitFor(() => server.running() === 0)
  })

  it('obeys the control file', async () => {
    writeJob({ place: 'host', plan: { ...PLAN, seconds: 60 } })
    const run = start()
    tellKey(run.child, true)
    await waitFor(hasPhase('window'))
    appendFileSync(join(folder, 'control.jsonl'), '{"kind":"skip"}\n')
    await waitFor(() => spoolLines().some((line) => line.kind === 'attempt' && line.record.status === 'skipped'))
    appendFileSync(join(folder, 'control.jsonl'), '{"kind":"ack","n":3}\n{"kind":"stop"}\n')
    expect(await run.ended).toMatchObject({ code: 0 })
    const lines = spoolLines()
    expect(lines.at(-1)).toMatchObject({ kind: 'end', state: 'stopped' })
    const ends = lines.flatMap((line) =>
      line.kind === 'attempt' ? [line.record.status] : line.kind === 'settled' ? [line.status] : [],
    )
    expect(ends).toHaveLength(4)
  })

  it('killed outright loses at most a torn line, and another one goes on behind it', async () => {
    writeJob({ place: 'host' })
    const run = start()
    tellKey(run.child, true)
    await waitFor(() => spoolLines().some((line) => line.kind === 'attempt'))
    run.child.kill('SIGKILL')
    await run.ended
    const before = spoolLines()
    const stored = before.filter((line) => line.kind === 'attempt').map((line) => line.record)
    const last = before.at(-1)?.n ?? 0
    writeJob({ place: 'host', epoch: 2, firstLine: last + 1, done: { cells: stored, prefills: [] } })
    const second = start()
    tellKey(second.child, true)
    expect(await second.ended).toMatchObject({ code: 0 })
    const lines = spoolLines()
    expect(lines.map((line) => line.n)).toEqual(lines.map((_, index) => index + 1))
    const cells = lines.flatMap((line) =>
      line.kind === 'attempt' ? [`${line.record.contextTokens}×${line.record.concurrency}`] : [],
    )
    expect(cells.sort()).toEqual(['0×1', '0×2', '256×1', '256×2'])
  })

  it.runIf(existsSync('/dev/full'))('says on stderr when the disk is full, and ends', async () => {
    writeJob({ place: 'host' })
    symlinkSync('/dev/full', join(folder, 'spool.jsonl'))
    const run = start()
    tellKey(run.child, true)
    const ended = await run.ended
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('disk')
    expect(ended.stderr).not.toMatch(/\n\s+at /)
  })

  it('says when the server refuses the key', async () => {
    writeJob()
    const run = start()
    run.child.stdin?.write('{"kind":"secret","apiKey":"sk-wrong"}\n')
    expect(await run.ended).toMatchObject({ code: 1 })
    expect(spoolLines().at(-1)).toMatchObject({ kind: 'end', state: 'failed', error: { code: 'unauthorized' } })
    expect(readFileSync(join(folder, 'spool.jsonl'), 'utf8')).not.toContain('sk-wrong')
  })
})
