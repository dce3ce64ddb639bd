import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import { createOwnEngine, type OwnEngine } from './own-engine.ts'
import { childStarter } from './start-child.ts'

const entry = join(import.meta.dirname, '../testing/stand-in-engine.mjs')
const left: OwnEngine[] = []
afterEach(async () => {
  await Promise.all(left.splice(0).map((engine) => engine.dispose()))
})

function startWith({ args = [] as string[], hasNode = true, env = process.env } = {}) {
  const states: string[] = []
  const frames: [number, string][] = []
  const failures: ErrorInfo[] = []
  const engine = createOwnEngine({
    start: childStarter({ node: hasNode ? process.execPath : undefined, entry, args, env }),
    events: {
      state: (state) => states.push(state),
      data: (connection, data) => frames.push([connection, data]),
      closed: () => {},
      sweeps: () => {},
      ended: () => {},
      failed: (error) => failures.push(error),
    },
  })
  left.push(engine)
  const ask = async (data: string) => {
    const before = frames.length
    engine.send(1, data)
    await vi.waitFor(() => expect(frames.length).toBeGreaterThan(before), { timeout: 10_000 })
    return frames.at(-1)?.[1] ?? ''
  }
  const comesUp = () => vi.waitFor(() => expect(engine.state).toBe('up'), { timeout: 20_000 })
  return { engine, states, frames, failures, ask, comesUp }
}
const pidIn = (answer: string) => Number(answer.split(' ')[1])
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('our engine’s process', () => {
  it('carries frames, and is ended in good order', async () => {
    const { engine, ask, comesUp, states } = startWith()
    await comesUp()
    const pid = pidIn(await ask('hello'))
    expect(isAlive(pid)).toBe(true)
    await engine.dispose()
    expect(isAlive(pid)).toBe(false)
    expect(states).toEqual(['up', 'down'])
  })

  it('is started again when it dies, under another pid, and says so', async () => {
    const { engine, ask, comesUp, states, failures } = startWith()
    await comesUp()
    const before = pidIn(await ask('who'))
    engine.send(1, 'exit')
    await vi.waitFor(() => expect(states).toEqual(['up', 'restarting', 'up']), { timeout: 20_000 })
    expect(pidIn(await ask('who'))).not.toBe(before)
    expect(failures).toEqual([])
  })

  it('drops what is no message of the protocol', async () => {
    const { ask, comesUp, frames } = startWith()
    await comesUp()
    await ask('nonsense')
    expect(frames).toHaveLength(1)
  })

  it('tells why it does not start', async () => {
    const { failures, states } = startWith({ args: ['--refuse'] })
    await vi.waitFor(() => expect(failures[0]).toMatchObject({ code: 'disk_full', nextStep: 'Make room.' }), { timeout: 10_000 })
    expect(states).toEqual([])
  })

  it('gives what it said as evidence when it keeps ending before it is ready', async () => {
    const { failures, states } = startWith({ args: ['--die'] })
    await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 20_000 })
    expect(states).toEqual(['restarting', 'down'])
    expect(failures[0]).toMatchObject({ code: 'internal', evidence: ['something is broken'] })
    expect(failures[0]?.cause).toContain('exit status 3')
  })

  it('says what is missing where there is no Node for it', async () => {
    const { failures } = startWith({ hasNode: false })
    await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 10_000 })
    expect(failures[0]).toMatchObject({ code: 'no_node', nextStep: expect.stringContaining('SPEEDGRID_NODE') })
  })

  it('does not get Electron’s own variables', async () => {
    const { engine, comesUp } = startWith({ env: { ...process.env, NODE_OPTIONS: '--title=x', ELECTRON_RUN_AS_NODE: '1' } })
    await comesUp()
    expect(engine.dataDir).toBe('/data')
  })
})

describe('an engine that hangs', () => {
  it('is ended and started again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { engine, ask, comesUp, states } = startWith()
      await comesUp()
      const pid = pidIn(await ask('who'))
      engine.send(1, 'hang')
      vi.advanceTimersByTime(5000 * 7)
      vi.useRealTimers()
      await vi.waitFor(() => expect(states).toEqual(['up', 'restarting', 'up']), { timeout: 20_000 })
      expect(isAlive(pid)).toBe(false)
    } finally {
      vi.useRealTimers()
    }
  })
})
