import { describe, expect, it } from 'vitest'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { PlanInput } from '../../../shared/model/plan.ts'
import type { SpoolEntry } from '../../../shared/model/spool.ts'
import type { Commands } from './commands.ts'
import { createFakeClock, type FakeClock } from './test-clock.ts'
import { createFakeServer, type FakeServer } from './test-fake-server.ts'
import { attemptsOf, linesOf, runFakeJob } from './test-run.ts'

// The prefill of 1024 is no cell's: it is sampled before the matrix.
const PLAN = {
  contexts: [0, 512],
  concurrency: [1, 4],
  seconds: 10,
  maxOutputTokens: 400,
  prefillContexts: [512, 1024],
} satisfies PlanInput
const CELLS = ['0×1', '512×1', '0×4', '512×4']

interface Tools {
  commands: Commands
  server: FakeServer
  clock: FakeClock
}
type Hook = (line: SpoolEntry, tools: Tools) => void

async function sweep(plan: Partial<PlanInput>, hook: Hook, job: object = {}) {
  const clock = createFakeClock()
  const server = createFakeServer(clock)
  const onLine = (line: SpoolEntry, commands: Commands) => hook(line, { commands, server, clock })
  return await runFakeJob(clock, server, { ...PLAN, ...plan }, { job, onLine })
}

type Place = (line: SpoolEntry) => boolean
const phase =
  (wanted: string): Place =>
  (line) =>
    line.kind === 'cell' && line.contextTokens === 512 && line.concurrency === 4 && line.phase === wanted
/** Everywhere a run can be, and how many ms later it is really there. */
const PLACES: [name: string, place: Place, afterMs: number][] = [
  ['preparing', (line) => line.kind === 'state' && line.state === 'preparing', 0],
  ['half prepared', (line) => line.kind === 'state' && line.state === 'preparing', 2],
  ['warming up', (line) => line.kind === 'state' && line.state === 'running', 20],
  ['a prefill', (line) => line.kind === 'facts' && line.requestTemplate !== undefined, 30],
  ['barrier', phase('barrier'), 0],
  [
    'warming up a batch',
    (line) => line.kind === 'cell' && line.contextTokens === 0 && line.concurrency === 4 && line.phase === 'warmup',
    3,
  ],
  ['scout', phase('scout'), 3],
  ['fill', phase('fill'), 3],
  ['window', phase('window'), 3000],
]

/** Acts at the place, the first time it is passed (or the first `times`). */
function at(place: Place, afterMs: number, act: (tools: Tools) => void, times = 1): Hook {
  let left = times
  return (line, tools) => {
    if (left === 0 || !place(line)) return
    left -= 1
    if (afterMs === 0) act(tools)
    else tools.clock.at(tools.clock.now() + afterMs, () => act(tools))
  }
}
const kill = ({ server }: Tools) => void (server.isGone = true)
const killFor = (ms: number) => (tools: Tools) => {
  kill(tools)
  tools.clock.at(tools.clock.now() + ms, () => {
    tools.server.restart()
    tools.server.isGone = false
  })
}
/** The tunnel breaks for a while: whatever is on its way fails, and the engine says so. */
const breakLink = (ms: number, saysSo: 'before' | 'after') => (tools: Tools) => {
  const { server, clock, commands } = tools
  if (saysSo === 'before') commands.linkDown('the connection was closed')
  server.isGone = true
  if (saysSo === 'after') clock.at(clock.now() + 5, () => commands.linkDown('the connection was closed'))
  clock.at(clock.now() + ms, () => {
    server.isGone = false
    commands.linkUp()
  })
}

const statuses = (lines: SpoolEntry[]) =>
  attemptsOf(lines).map((record) => `${record.contextTokens}×${record.concurrency} ${record.status}`)
const valid = (lines: SpoolEntry[]) => statuses(lines).flatMap((text) => (text.endsWith(' valid') ? [text.slice(0, -6)] : []))
const validPrefills = (lines: SpoolEntry[]) =>
  linesOf(lines, 'prefill').flatMap(({ result }) => (result.status === 'valid' ? [result.contextTokens] : []))
const errors = (lines: SpoolEntry[]) => [
  ...attemptsOf(lines).filter((record) => record.status === 'error'),
  ...linesOf(lines, 'prefill').filter(({ result }) => result.status === 'error'),
]
const texts = (lines: SpoolEntry[]) => linesOf(lines, 'event').map((line) => line.text)
/** What the engine would tell the next driver. */
function jobAfter(lines: SpoolEntry[]) {
  const records = attemptsOf(lines)
  return {
    epoch: 2,
    done: {
      cells: records.filter((record) => record.status !== 'cancelled'),
      prefills: linesOf(lines, 'prefill').flatMap(({ result }) => (result.status === 'cancelled' ? [] : [result])),
    },
    attempts: records.map((record) => ({
      ...record,
      attempts: record.attempt,
      deaths: records.filter(
        (other) =>
          other.cutBy === 'server_gone' &&
          other.contextTokens === record.contextTokens &&
          other.concurrency === record.concurrency,
      ).length,
    })),
  }
}

describe('a server that dies', () => {
  it.each(PLACES)(
    '%s: leaves an interrupted run that is resumed, nothing lost and nothing failed',
    async (_name, place, afterMs) => {
      const first = await sweep({}, at(place, afterMs, kill))
      expect(first.end).toMatchObject({ state: 'interrupted', error: { code: 'server_gone' } })
      expect(first.end.error?.nextStep).toContain('resume')
      expect(first.lines.at(-1)).toMatchObject({ kind: 'end', state: 'interrupted' })
      expect(linesOf(first.lines, 'settled')).toEqual([])
      expect(errors(first.lines)).toEqual([])
      const done = linesOf(first.lines, 'beat').at(-1)?.doneCells ?? 0
      expect(done).toBe(valid(first.lines).length)

      const second = await sweep({}, () => undefined, jobAfter(first.lines))
      expect(second.end.state).toBe('finished')
      expect([...valid(first.lines), ...valid(second.lines)]).toEqual(CELLS)
      expect([...validPrefills(first.lines), ...validPrefills(second.lines)].sort((a, b) => a - b)).toEqual([512, 1024])
      expect(errors(second.lines)).toEqual([])
    },
  )

  it.each(PLACES)(
    '%s: is waited for where the plan says so, and the work at hand is done again',
    async (_name, place, afterMs) => {
      const { lines, end } = await sweep({ onServerGone: 'wait' }, at(place, afterMs, killFor(90_000)))
      expect(end).toEqual({ state: 'finished' })
      expect(valid(lines)).toEqual(CELLS)
      expect(validPrefills(lines).sort((a, b) => a - b)).toEqual([512, 1024])
      expect(errors(lines)).toEqual([])
      expect(texts(lines)).toContain('the server answers again')
      expect(linesOf(lines, 'beat').at(-1)?.doneCells).toBeLessThanOrEqual(4)
    },
  )

  it('keeps the broken try as cancelled, with the cause and what it had measured, and warms its successor up', async () => {
    const { lines } = await sweep({ onServerGone: 'wait' }, at(phase('window'), 3000, killFor(90_000)))
    const [broken, again] = attemptsOf(lines).filter((record) => record.contextTokens === 512 && record.concurrency === 4)
    expect(broken).toMatchObject({ status: 'cancelled', cutBy: 'server_gone', attempt: 1, figures: {} })
    expect(broken?.reason).toContain('the server is gone: connection refused')
    expect(again).toMatchObject({ status: 'valid', attempt: 2 })
    expect(again?.phaseSeconds.warmup).toBeGreaterThan(0)
    expect(linesOf(lines, 'facts').filter((line) => line.requestTemplate !== undefined)).toHaveLength(2)
  })

  it('and is back before anybody has asked: its counters tell', async () => {
    const { lines, end } = await sweep(
      { onServerGone: 'wait' },
      at(phase('window'), 3000, ({ server }) => server.restart()),
    )
    expect(end.state).toBe('finished')
    expect(valid(lines)).toEqual(CELLS)
    expect(errors(lines)).toEqual([])
    expect(attemptsOf(lines).find((record) => record.cutBy === 'server_gone')?.reason).toContain('started anew')
  })

  it('and stays away: the run is interrupted after the limit', async () => {
    const { lines, end } = await sweep({ onServerGone: 'wait' }, at(phase('window'), 3000, kill))
    expect(end).toMatchObject({ state: 'interrupted', error: { code: 'server_gone' } })
    expect(end.reason).toContain('60 minutes')
    expect(valid(lines)).toEqual(CELLS.slice(0, 3))
    expect(errors(lines)).toEqual([])
  })

  it('in every attempt at one cell: that cell is an error with the cause, and the others are measured', async () => {
    const { lines, end } = await sweep({ onServerGone: 'wait' }, at(phase('window'), 3000, killFor(60_000), 99))
    expect(end.state).toBe('finished')
    expect(statuses(lines)).toEqual(['0×1 valid', '512×1 valid', '0×4 valid', '512×4 cancelled', '512×4 error'])
    expect(attemptsOf(lines).at(-1)?.reason).toMatch(/the server is gone: .*each of 2 attempts/)
    expect(linesOf(lines, 'beat').at(-1)?.doneCells).toBeLessThanOrEqual(4)
  })

  it('in one cell over and over: each resume gets further', async () => {
    const smallFirst = (line: SpoolEntry) =>
      line.kind === 'cell' && line.contextTokens === 512 && line.concurrency === 1 && line.phase === 'window'
    const first = await sweep({}, at(smallFirst, 3000, kill))
    const second = await sweep({}, at(smallFirst, 3000, kill), jobAfter(first.lines))
    expect(second.end.state).toBe('interrupted')
    expect(statuses(second.lines)).toEqual(['512×1 error'])
    const job = jobAfter([...first.lines, ...second.lines])
    const third = await sweep({}, () => undefined, { ...job, epoch: 3 })
    expect(third.end.state).toBe('finished')
    expect(valid(third.lines)).toEqual(['0×4', '512×4'])
  })

  it('in every sample of one prefill: that one is an error, and the cells are measured', async () => {
    const isSample = (line: SpoolEntry) => line.kind === 'facts' && line.requestTemplate !== undefined
    const { lines, end } = await sweep({ onServerGone: 'wait' }, at(isSample, 30, killFor(60_000), 2))
    expect(end.state).toBe('finished')
    expect(linesOf(lines, 'prefill').map(({ result }) => [result.contextTokens, result.status])).toEqual([
      [1024, 'cancelled'],
      [1024, 'error'],
      [512, 'valid'],
    ])
    expect(valid(lines)).toEqual(CELLS)
  })

  it('each time it is warmed up: the run is interrupted, not waited for without an end', async () => {
    const isWarm = (line: SpoolEntry) =>
      (line.kind === 'state' && line.state === 'running') || (line.kind === 'event' && line.text === 'the server answers again')
    const { lines, end } = await sweep({ onServerGone: 'wait' }, at(isWarm, 20, killFor(60_000), 99))
    expect(end).toMatchObject({ state: 'interrupted', error: { code: 'server_gone' } })
    expect(attemptsOf(lines)).toEqual([])
  })

  it('can be paused, stopped and interrupted while it is waited for', async () => {
    const hook =
      (kind: 'pause' | 'stop' | 'interrupt'): Hook =>
      (line, { commands, clock }) => {
        if (line.kind !== 'event' || !line.text.includes('waiting for it')) return
        clock.at(clock.now() + 5000, () => commands.take({ kind }))
        if (kind === 'pause') clock.at(clock.now() + 200_000, () => commands.take({ kind: 'resume' }))
      }
    const run = (kind: 'pause' | 'stop' | 'interrupt') => {
      const die = at(phase('window'), 3000, killFor(90_000))
      const wish = hook(kind)
      return sweep({ onServerGone: 'wait' }, (line, tools) => (die(line, tools), wish(line, tools)))
    }
    const paused = await run('pause')
    expect(paused.end.state).toBe('finished')
    expect(valid(paused.lines)).toEqual(CELLS)
    expect(linesOf(paused.lines, 'state').map((line) => line.state)).toEqual(['preparing', 'running', 'paused', 'running'])
    const stopped = await run('stop')
    expect(stopped.end.state).toBe('stopped')
    expect(linesOf(stopped.lines, 'settled').map((line) => [line.concurrency, line.status])).toEqual([[4, 'cancelled']])
    expect((await run('interrupt')).end.state).toBe('interrupted')
  })
})

describe('a server that answers but fails requests', () => {
  it('makes an error cell, as before', async () => {
    const failure = { error: { kind: 'http' as const, status: 500, message: 'HTTP 500: no' }, afterEvents: 20 }
    const { lines, end } = await sweep({}, (line, { server }) => {
      if (line.kind === 'cell') server.failure = line.concurrency === 4 ? failure : undefined
    })
    expect(end.state).toBe('finished')
    expect(statuses(lines)).toEqual(['0×1 valid', '512×1 valid', '0×4 error', '512×4 error'])
  })
})

describe('a tunnel that breaks', () => {
  const tunnel = { place: 'tunnel' }

  it.each(PLACES)('%s: the work at hand is done again when it is back', async (_name, place, afterMs) => {
    for (const saysSo of ['before', 'after'] as const) {
      const { lines, end } = await sweep({}, at(place, afterMs, breakLink(9000, saysSo)), tunnel)
      expect(end).toEqual({ state: 'finished' })
      expect(valid(lines)).toEqual(CELLS)
      expect(validPrefills(lines).sort((a, b) => a - b)).toEqual([512, 1024])
      expect(errors(lines)).toEqual([])
      expect(attemptsOf(lines).every((record) => record.status === 'valid' || record.cutBy === 'link_lost')).toBe(true)
      expect(linesOf(lines, 'facts')[0]?.facts.capabilities.metrics).toBe(true)
    }
  })

  it('and is back before anybody has looked: still nobody else is blamed', async () => {
    const { lines, end } = await sweep({}, at(phase('window'), 3000, breakLink(2, 'before')), tunnel)
    expect(end.state).toBe('finished')
    expect(statuses(lines)).toEqual([...CELLS.slice(0, 3).map((cell) => `${cell} valid`), '512×4 cancelled', '512×4 valid'])
    expect(attemptsOf(lines)[3]).toMatchObject({
      cutBy: 'link_lost',
      reason: expect.stringContaining('link to the host was lost'),
    })
  })

  it.each(PLACES)('%s: one that only stalls is no different', async (_name, place, afterMs) => {
    const stall = ({ server, clock, commands }: Tools) => {
      server.isStalled = true
      clock.at(clock.now() + 2500, () => commands.linkDown('no answer'))
      clock.at(clock.now() + 15_000, () => {
        server.isStalled = false
        commands.linkUp()
      })
    }
    const { lines, end } = await sweep({}, at(place, afterMs, stall), tunnel)
    expect(end).toEqual({ state: 'finished' })
    expect(valid(lines)).toEqual(CELLS)
    expect(validPrefills(lines).sort((a, b) => a - b)).toEqual([512, 1024])
    expect(errors(lines)).toEqual([])
    expect(linesOf(lines, 'facts')[0]?.facts.capabilities.metrics).toBe(true)
  })

  it('and is known to be stalled only when the window has ended: what stood in it is not believed', async () => {
    const stall = ({ server, clock, commands }: Tools) => {
      server.isStalled = true
      clock.at(clock.now() + 2500, () => commands.linkDown('no answer'))
      clock.at(clock.now() + 8000, () => {
        server.isStalled = false
        commands.linkUp()
      })
    }
    const { lines, end } = await sweep({}, at(phase('window'), 9500, stall), tunnel)
    expect(end.state).toBe('finished')
    expect(valid(lines)).toEqual(CELLS)
    const broken = attemptsOf(lines).find((record) => record.status === 'cancelled')
    expect(broken).toMatchObject({ cutBy: 'link_lost', figures: {}, flags: [] })
    expect(broken?.discarded?.outputTokens).toBeGreaterThan(0)
  })

  it('and stays away: interrupted after the limit, or at once where it is lost for good', async () => {
    const away = await sweep({}, at(phase('window'), 3000, breakLink(3_600_000, 'before')), tunnel)
    expect(away.end).toMatchObject({ state: 'interrupted', error: { code: 'link_lost' } })
    expect(away.end.reason).toContain('10 minutes')
    expect(valid(away.lines)).toEqual(CELLS.slice(0, 3))
    const lost = await sweep(
      {},
      at(phase('window'), 3000, ({ commands }) => commands.linkDown('the key was refused', true)),
      tunnel,
    )
    expect(lost.end).toMatchObject({ state: 'interrupted', error: { code: 'link_lost' } })
    expect(lost.end.reason).toContain('the key was refused')
  })

  it('because the engine has died: interrupted, however late that is heard of', async () => {
    const refused = () =>
      new SpeedgridError('server_gone', 'refused', { from: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })
    const die = ({ server, clock, commands }: Tools) => {
      server.refusal = refused
      server.isGone = true
      clock.at(clock.now() + 8000, () => commands.end('interrupt', 'the engine has ended'))
    }
    const job = { ...tunnel, target: { baseUrl: 'http://fake:1', socketPath: '/nowhere/tunnel.sock' } }
    const { lines, end } = await sweep({}, at(phase('window'), 3000, die), job)
    expect(end).toEqual({ state: 'interrupted', reason: 'the engine has ended' })
    expect(errors(lines)).toEqual([])
    expect(valid(lines)).toEqual(CELLS.slice(0, 3))
  })
})

describe("this machine's own limit of files", () => {
  it('is an error of the cell that needs too many, and nobody else is blamed', async () => {
    const failure = { error: { kind: 'limit' as const, message: 'the limit of open files' }, afterEvents: 0 }
    const { lines, end } = await sweep({}, (line, { server }) => {
      if (line.kind === 'cell') server.failure = line.concurrency === 4 ? failure : undefined
    })
    expect(end.state).toBe('finished')
    expect(statuses(lines)).toEqual(['0×1 valid', '512×1 valid', '0×4 error', '512×4 error'])
    expect(attemptsOf(lines).at(-1)?.reason).toContain('limit of open files')
    expect(attemptsOf(lines).at(-1)?.reason).not.toContain('server is gone')
  })
})
