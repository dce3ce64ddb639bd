import { describe, expect, it } from 'vitest'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Connection } from './connect.ts'
import { type Clock, createSupervisor } from './supervisor.ts'

/** A connection that can be cut. */
function fakeConnection(): Connection & { cut(reason: string): void } {
  const listeners = new Set<(reason: string) => void>()
  let closed = false
  const cut = (reason: string) => {
    if (closed) return
    closed = true
    for (const listener of listeners) listener(reason)
  }
  return {
    client: undefined as unknown as Connection['client'],
    onClose: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    isClosed: () => closed,
    close: () => cut('closed by us'),
    cut,
  }
}

/** Time that passes only by sleeping. */
function sleepingClock(): Clock & { slept: number[] } {
  let nowMs = 0
  const slept: number[] = []
  return {
    slept,
    nowMs: () => nowMs,
    sleep(ms) {
      nowMs += ms
      slept.push(ms)
      return new Promise((resolve) => setImmediate(resolve))
    },
  }
}
const down = () => Promise.reject(new SpeedgridError('unreachable', 'It is down.'))

describe('keeping a connection up', () => {
  it('waits longer each time, to thirty seconds, and gives up after ten minutes', async () => {
    const clock = sleepingClock()
    const first = fakeConnection()
    const supervisor = createSupervisor({ hostName: 'lab', first, open: down, clock })
    const states: string[] = []
    supervisor.onStateChange(({ state, reason }) => states.push(`${state}: ${reason ?? ''}`))
    first.cut('keepalive timeout')
    await expect(supervisor.connection()).rejects.toMatchObject({
      code: 'link_lost',
      evidence: ['first: keepalive timeout', 'last try: It is down.'],
    })
    expect(clock.slept.slice(0, 8)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    expect(clock.nowMs()).toBeGreaterThanOrEqual(600_000)
    expect(clock.nowMs()).toBeLessThan(632_000)
    expect(states).toEqual(['reconnecting: keepalive timeout', expect.stringMatching(/^closed/)])
    await expect(supervisor.connection()).rejects.toMatchObject({ code: 'link_lost' })
  })

  it('lets calls wait and serves them with the new connection', async () => {
    const clock = sleepingClock()
    const first = fakeConnection()
    const second = fakeConnection()
    let tries = 0
    const supervisor = createSupervisor({
      hostName: 'lab',
      first,
      open: () => (++tries < 3 ? down() : Promise.resolve(second)),
      clock,
    })
    expect(await supervisor.connection()).toBe(first)
    first.cut('cut')
    const waiting = [supervisor.connection(), supervisor.connection()]
    expect(await Promise.all(waiting)).toEqual([second, second])
    expect(tries).toBe(3)
  })

  it('does not insist where the key has changed, and only three times where it is refused', async () => {
    for (const [code, expected] of [
      ['host_key_changed', 1],
      ['auth', 3],
    ] as const) {
      const first = fakeConnection()
      let tries = 0
      const open = () => (tries++, Promise.reject(new SpeedgridError(code, 'No.')))
      const supervisor = createSupervisor({ hostName: 'lab', first, open, clock: sleepingClock() })
      first.cut('cut')
      await expect(supervisor.connection()).rejects.toMatchObject({ code: 'link_lost' })
      expect(tries).toBe(expected)
    }
  })

  it('ends waiting calls when disposed or told to stop, and closes a connection that comes too late', async () => {
    const first = fakeConnection()
    const late = fakeConnection()
    let arrive: (connection: Connection) => void = () => undefined
    const opening = new Promise<Connection>((resolve) => (arrive = resolve))
    const supervisor = createSupervisor({ hostName: 'lab', first, open: () => opening, clock: sleepingClock() })
    first.cut('cut')
    const stopper = new AbortController()
    const stopped = supervisor.connection(stopper.signal)
    const waiting = supervisor.connection()
    stopper.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    supervisor.dispose()
    await expect(waiting).rejects.toMatchObject({ code: 'link_lost' })
    arrive(late)
    await expect.poll(() => late.isClosed()).toBe(true)
  })
})
