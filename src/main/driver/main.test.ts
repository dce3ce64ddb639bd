import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { processIdentitySchema } from '../../shared/model/server.ts'
import { type SpoolLine, spoolLineSchema } from '../../shared/model/spool.ts'
import { startTestServer } from './run/test-server.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
const KEY = 'sk-very-secret'
const PLAN = { contexts: [0], concurrency: [1, 2], seconds: 0.5, settleSeconds: 0.05, maxOutputTokens: 5000 }

/** A disk of one megabyte; only root may have one. */
const mountSmallDisk = (folder: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
const cannotMount = (() => {
  if (process.getuid?.() !== 0) return true
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-mount-'))
  const mounted = mountSmallDisk(folder)
  if (mounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
  return !mounted
})()

interface Ended {
  code: number | null
  signal: string | null
  stderr: string
}

/** A run folder with a job for a server of its own, and the driver as a child process in it. */
async function fixture({ onTestFinished }: TestContext, job: object = {}, prepare: (folder: string) => void = () => undefined) {
  const server = await startTestServer({ apiKey: KEY, gapMs: 4 })
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-run-'))
  prepare(folder)
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await server.close()
    spawnSync('umount', [folder])
    rmSync(folder, { recursive: true, force: true })
  })

  function writeJob(fields: object): void {
    const target = { baseUrl: server.baseUrl }
    const whole = { schema: 'speedgrid.job/1', runId: 'run', epoch: 1, plan: PLAN, target, place: 'local', ...fields }
    writeFileSync(join(folder, 'job.json'), JSON.stringify(whole))
  }

  function start(limit = ''): { child: ChildProcess; ended: Promise<Ended> } {
    const child = spawn('/bin/sh', ['-c', `${limit} exec "$0" "$@"`, process.execPath, MAIN, folder], {
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    children.push(child)
    return { child, ended: endOf(child) }
  }

  function spoolLines(): SpoolLine[] {
    const path = join(folder, 'spool.jsonl')
    if (!existsSync(path)) return []
    const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    return whole.filter((line) => line !== '').map((line) => spoolLineSchema.parse(JSON.parse(line)))
  }

  const waitForPhase = (phase: string) => waitFor(() => spoolLines().some((line) => line.kind === 'cell' && line.phase === phase))
  writeJob(job)
  return { server, folder, writeJob, start, spoolLines, waitForPhase }
}

function endOf(child: ChildProcess): Promise<Ended> {
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, stderr })))
}

const tellKey = (process: ChildProcess, end = false) => {
  process.stdin?.write(`${JSON.stringify({ kind: 'secret', apiKey: KEY })}\n`)
  if (end) process.stdin?.end()
}

async function waitFor(condition: () => boolean): Promise<void> {
  const end = Date.now() + 25_000
  while (!condition()) {
    if (Date.now() > end) throw new Error('waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe.concurrent('the driver as a process', () => {
  it('tells its version and how to use it', async () => {
    const version = spawn(process.execPath, [MAIN, '--version'])
    let stdout = ''
    version.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    expect(await endOf(version)).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/^speedgrid-driver \d+\.\d+\.\d+\n$/)
    expect(await endOf(spawn(process.execPath, [MAIN]))).toMatchObject({ code: 2, stderr: expect.stringContaining('usage') })
  })

  it('that may open no more files says that it is our own limit, for the cells that need them, and goes on', async (context) => {
    const { start, writeJob, spoolLines } = await fixture(context)
    writeJob({ plan: { ...PLAN, contexts: [0, 64], concurrency: [1, 150] } })
    const run = start('ulimit -n 100;')
    tellKey(run.child)
    expect(await run.ended).toMatchObject({ code: 0 })
    const records = spoolLines().flatMap((line) => (line.kind === 'attempt' ? [line.record] : []))
    expect(records.map((record) => `${record.concurrency} ${record.status}`).sort()).toEqual(
      ['1 valid', '1 valid', '150 error', '150 error'].sort(),
    )
    for (const record of records.filter(({ status }) => status === 'error')) {
      expect(record.reason).toContain('limit of open files')
      expect(record.reason).not.toContain('server is gone')
    }
    expect(spoolLines().at(-1)).toMatchObject({ kind: 'end', state: 'finished' })
  })

  it('carries out a job, identifies itself, and writes the key nowhere', async (context) => {
    const { start, spoolLines, folder } = await fixture(context)
    const run = start()
    tellKey(run.child)
    const ended = await run.ended
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const lines = spoolLines()
    expect(lines.map((line) => line.n)).toEqual(lines.map((_, index) => index + 1))
    expect(lines[0]).toMatchObject({ kind: 'hello', runId: 'run', place: 'local', pid: run.child.pid })
    expect(lines.filter((line) => line.kind === 'attempt').length).toBe(2)
    expect(lines.at(-1)).toMatchObject({ kind: 'end', state: 'finished' })
    const identity = processIdentitySchema.parse(JSON.parse(readFileSync(join(folder, 'driver.json'), 'utf8')))
    expect(identity.pid).toBe(run.child.pid)
    for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file), 'utf8')).not.toContain(KEY)
  })

  it('beside the engine ends as interrupted when the engine dies', async (context) => {
    const { start, spoolLines, waitForPhase } = await fixture(context, { plan: { ...PLAN, seconds: 60 } })
    const run = start()
    tellKey(run.child)
    await waitForPhase('window')
    run.child.stdin?.end()
    expect(await run.ended).toMatchObject({ code: 0 })
    expect(spoolLines().at(-1)).toMatchObject({ kind: 'end', state: 'interrupted', reason: 'the engine has ended' })
  })

  it.for(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s', async (signal, context) => {
    const { start, spoolLines, server, waitForPhase } = await fixture(context, {
      place: 'host',
      plan: { ...PLAN, seconds: 60 },
    })
    const run = start()
    tellKey(run.child, true)
    await waitForPhase('fill')
    run.child.kill(signal)
    expect(await run.ended).toMatchObject({ code: 0, signal: null })
    expect(spoolLines().at(-1)).toMatchObject({ kind: 'end', state: 'interrupted', reason: `ended by ${signal}` })
    await waitFor(() => server.running() === 0)
  })

  it('obeys the control file', async (context) => {
    const { start, spoolLines, folder, waitForPhase } = await fixture(context, {
      place: 'host',
      plan: { ...PLAN, seconds: 60 },
    })
    const run = start()
    tellKey(run.child, true)
    await waitForPhase('window')
    appendFileSync(join(folder, 'control.jsonl'), '{"kind":"skip"}\n')
    await waitFor(() => spoolLines().some((line) => line.kind === 'attempt' && line.record.status === 'skipped'))
    appendFileSync(join(folder, 'control.jsonl'), '{"kind":"ack","n":3}\n{"kind":"stop"}\n')
    expect(await run.ended).toMatchObject({ code: 0 })
    const lines = spoolLines()
    expect(lines.at(-1)).toMatchObject({ kind: 'end', state: 'stopped' })
    const ends = lines.flatMap((line) =>
      line.kind === 'attempt' ? [line.record.status] : line.kind === 'settled' ? [line.status] : [],
    )
    expect(ends).toHaveLength(2)
  })

  it('killed outright loses at most a torn line, and another one goes on behind it', async (context) => {
    const { start, spoolLines, writeJob } = await fixture(context, { place: 'host' })
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
    expect(cells.sort()).toEqual(['0×1', '0×2'])
  })

  it.runIf(existsSync('/dev/full'))('says on stderr when the disk is full, and ends', async (context) => {
    const { start, folder } = await fixture(context, { place: 'host' })
    symlinkSync('/dev/full', join(folder, 'spool.jsonl'))
    const run = start()
    tellKey(run.child, true)
    const ended = await run.ended
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('disk')
    expect(ended.stderr).not.toMatch(/\n\s+at /)
  })

  it.skipIf(cannotMount)('says so in its spool when the disk fills up', async (test) => {
    const { folder, start, spoolLines, waitForPhase } = await fixture(test, { place: 'host' }, mountSmallDisk)
    const { child, ended } = start()
    tellKey(child, false)
    await waitForPhase('window')
    const fill = join(folder, 'fill')
    expect(() => {
      for (;;) appendFileSync(fill, Buffer.alloc(512))
    }).toThrow(/ENOSPC/)
    await ended
    expect(spoolLines().at(-1)).toMatchObject({ kind: 'end', state: 'interrupted', error: { code: 'disk_full' } })
    expect(existsSync(join(folder, 'reserve'))).toBe(false)
  })
})
