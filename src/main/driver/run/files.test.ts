import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { Control } from '../../../shared/model/job.ts'
import { watchControlFile } from './control-file.ts'
import { isAlive, ownIdentity, procStat } from './identity.ts'
import { readJob } from './read-job.ts'
import { lastLines } from './last-lines.ts'
import { createSpool } from './spool.ts'
import { createFakeClock } from './test-clock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'speedgrid-driver-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (path: string, firstLine = 1) => createSpool({ path, firstLine, clock: createFakeClock(), startMs: 1000 })

describe('spool', () => {
  it('numbers its lines from the job’s first line, private to the user', () => {
    const path = join(folder, 'spool.jsonl')
    const spool = open(path, 7)
    spool.write({ kind: 'event', level: 'info', text: 'one' })
    spool.write({ kind: 'state', state: 'preparing' })
    spool.close()
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(lines).toMatchObject([
      { n: 7, kind: 'event', m: 0 },
      { n: 8, kind: 'state' },
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('sets a torn line of a killed driver apart', () => {
    const path = join(folder, 'spool.jsonl')
    writeFileSync(path, '{"n":1,"kind":"event"}\n{"n":2,"ki')
    const spool = open(path, 2)
    spool.write({ kind: 'event', level: 'info', text: 'after' })
    spool.close()
    const whole = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
    expect(whole.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual([1, 2])
  })

  it.runIf(existsSync('/dev/full'))('says when the disk is full', () => {
    symlinkSync('/dev/full', join(folder, 'spool.jsonl'))
    const spool = open(join(folder, 'spool.jsonl'))
    let caught: unknown
    try {
      spool.write({ kind: 'event', level: 'info', text: 'x' })
    } catch (error) {
      caught = error
    }
    expect(caught).toBeInstanceOf(SpeedgridError)
    expect((caught as SpeedgridError).code).toBe('disk_full')
    expect(spool.nextLine).toBe(1)
  })

  it('says when the folder can not be written', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => open(join(folder, 'file', 'spool.jsonl'))).toThrow("can't write")
  })
})

describe('control file', () => {
  it('is read from its beginning, then as it grows, whole lines only', async () => {
    const clock = createFakeClock()
    const path = join(folder, 'control.jsonl')
    const seen: Control[] = []
    const unknown: string[] = []
    writeFileSync(path, '{"kind":"pause"}\n')
    const stop = watchControlFile({
      path,
      clock,
      onControl: (control) => seen.push(control),
      onUnknown: (line) => unknown.push(line),
    })
    expect(seen).toEqual([{ kind: 'pause' }])
    appendFileSync(path, '{"kind":"ack","n":12}\nnonsense\n{"kind":"sk')
    await clock.run(clock.sleep(250))
    expect(seen.slice(1)).toEqual([{ kind: 'ack', n: 12 }])
    expect(unknown).toEqual(['nonsense'])
    appendFileSync(path, 'ip","contextTokens":8192,"concurrency":4}\n')
    await clock.run(clock.sleep(250))
    expect(seen.at(-1)).toEqual({ kind: 'skip', contextTokens: 8192, concurrency: 4 })
    stop()
  })

  it('a line without an end is passed over, and what comes behind it is obeyed', async () => {
    const clock = createFakeClock()
    const path = join(folder, 'control.jsonl')
    const seen: Control[] = []
    const unknown: string[] = []
    writeFileSync(path, 'x'.repeat(40 * 1024 * 1024))
    appendFileSync(path, '\n{"kind":"pause"}\n')
    const stop = watchControlFile({
      path,
      clock,
      onControl: (control) => seen.push(control),
      onUnknown: (line) => unknown.push(line),
    })
    await clock.run(clock.sleep(1000))
    expect(unknown).toEqual(['x'.repeat(200)])
    expect(seen).toEqual([{ kind: 'pause' }])
    stop()
  })

  it('may not be there yet', async () => {
    const clock = createFakeClock()
    const path = join(folder, 'control.jsonl')
    const seen: Control[] = []
    const stop = watchControlFile({ path, clock, onControl: (control) => seen.push(control), onUnknown: () => undefined })
    writeFileSync(path, '{"kind":"stop"}\n')
    await clock.run(clock.sleep(250))
    expect(seen).toEqual([{ kind: 'stop' }])
    stop()
  })
})

describe('job', () => {
  it('is refused with what is wrong in it', () => {
    expect(() => readJob(folder)).toThrow('no job.json')
    writeFileSync(join(folder, 'job.json'), '{"schema":')
    expect(() => readJob(folder)).toThrow('not JSON')
    const plan = { contexts: [0], concurrency: [1], secconds: 3 }
    writeFileSync(
      join(folder, 'job.json'),
      JSON.stringify({ schema: 'speedgrid.job/1', runId: 'r', epoch: 1, plan, target: { baseUrl: 'http://x' }, place: 'host' }),
    )
    let caught: unknown
    try {
      readJob(folder)
    } catch (error) {
      caught = error
    }
    expect((caught as SpeedgridError).evidence.join(' ')).toContain('secconds')
  })
})

describe('server log', () => {
  it('gives the last lines, progress bars as they stood last', () => {
    const path = join(folder, 'vllm.log')
    writeFileSync(
      path,
      `${Array.from({ length: 90 }, (_, i) => `line ${i}`).join('\n')}\nload 1%\rload 50%\rload 100%\n\nRuntimeError: boom\n`,
    )
    const lines = lastLines(path)
    expect(lines.length).toBe(40)
    expect(lines.slice(-2)).toEqual(['load 100%', 'RuntimeError: boom'])
    expect(lastLines(join(folder, 'none'))).toEqual([])
  })
})

describe.runIf(existsSync('/proc/self/stat'))('identity', () => {
  it('tells this process from any other', () => {
    const identity = ownIdentity()
    expect(identity.pid).toBe(process.pid)
    expect(identity.bootId).toMatch(/^[0-9a-f-]{36}$/)
    expect(isAlive(identity)).toBe(true)
    expect(isAlive({ ...identity, startTicks: `${identity.startTicks}1` })).toBe(false)
    expect(isAlive({ ...identity, session: identity.session + 1 })).toBe(false)
    expect(procStat(0x7fff_fff0)).toBeUndefined()
  })
})
