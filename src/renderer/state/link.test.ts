// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFakeEngine } from '../testing/fake-api.ts'
import { createMemoryBridge } from '../testing/memory-bridge.ts'
import { createAppState } from './app-state.ts'
import { toErrorInfo } from './errors.ts'
import { createShell } from './shell.ts'
import { createLink } from './trpc.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

function setUp(answers: Parameters<typeof createMemoryBridge>[1] = {}) {
  const engine = createFakeEngine({ runs: 3 })
  const bridge = createMemoryBridge(engine.api, answers)
  const link = createLink({ bridge, location: { protocol: 'http:', host: 'nowhere' } })
  const app = createAppState({ link, shell: createShell(bridge) })
  ends.push(() => {
    link.dispose()
    engine.dispose()
  })
  return { engine, bridge, link, app }
}

describe('the link through the bridge', () => {
  it('carries questions, and errors with code, cause and next step', async () => {
    const { link } = setUp()
    expect(await link.client.app.info.query()).toMatchObject({ version: '0.1.0' })
    expect(link.connection.getState().state).toBe('up')
    const thrown: unknown = await link.client.hosts.connect.mutate({ name: 'nobody' }).catch((error: unknown) => error)
    expect(toErrorInfo(thrown)).toEqual({
      code: 'unknown_host',
      cause: 'There is no host nobody.',
      evidence: [],
      nextStep: 'Add it first.',
    })
    const wrong: unknown = await link.client.hosts.connect.mutate({ name: '--evil' }).catch((error: unknown) => error)
    expect(toErrorInfo(wrong).code).toBe('usage')
  })

  it('says when the engine is gone, and brings feeds back with a new snapshot when it is up again', async () => {
    const { app, bridge, engine, link } = setUp()
    ends.push(app.hosts.use())
    await vi.waitFor(() => {
      expect(app.hosts.getState().status).toBe('live')
    })
    const before = app.hosts.getState().value?.length ?? 0
    bridge.setEngine('restarting')
    await vi.waitFor(() => {
      expect(link.connection.getState().state).toBe('gone')
    })
    await vi.waitFor(() => {
      expect(app.hosts.getState().status).toBe('stale')
    })
    expect(app.hosts.getState().value).toHaveLength(before)
    await engine.api.hosts.add({ name: 'while-away', target: '10.0.0.1' })
    bridge.setEngine('up')
    await vi.waitFor(() => {
      expect(app.hosts.getState().status).toBe('live')
    }, 10_000)
    expect(app.hosts.getState().value).toHaveLength(before + 1)
    expect(link.connection.getState().state).toBe('up')
  })

  it('fails what was asked when the engine goes, and does not do it twice', async () => {
    const { bridge, engine, link } = setUp()
    await link.client.app.info.query()
    let adds = 0
    engine.api.hosts.add = async () => {
      adds += 1
      return new Promise(() => undefined)
    }
    const asked = link.client.hosts.add.mutate({ name: 'x', target: 'y' }).catch((error: unknown) => toErrorInfo(error))
    await vi.waitFor(() => {
      expect(adds).toBe(1)
    })
    bridge.setEngine('down')
    expect(await asked).toMatchObject({ code: 'link_lost' })
    bridge.setEngine('up')
    await link.client.app.info.query()
    expect(adds).toBe(1)
  })
})

describe('the shell behind the bridge', () => {
  it('asks by number and takes only its own answers', async () => {
    const { app, bridge } = setUp({ saveFile: ({ suggestedName }: { suggestedName: string }) => `/tmp/${suggestedName}` })
    const [one, two] = await Promise.all([
      app.shell.saveFile({ suggestedName: 'a.html' }),
      app.shell.saveFile({ suggestedName: 'b.html' }),
    ])
    expect([one, two]).toEqual(['/tmp/a.html', '/tmp/b.html'])
    const ids = bridge.calls.filter((call) => call.call === 'saveFile').map((call) => call.id)
    expect(new Set(ids).size).toBe(2)
    expect(ids).not.toContain(0)
    await expect(app.shell.reveal('/tmp')).rejects.toThrow('no reveal here')
  })

  it('believes no ability the shell did not name', async () => {
    const { app } = setUp({ abilities: () => ({ platform: 'linux', saveFile: true }) })
    expect(await app.shell.abilities()).toMatchObject({
      saveFile: true,
      openFile: false,
      reveal: false,
      print: false,
      secrets: 'ask-again',
    })
  })

  it('hands on menu commands and routes, and ignores what is no message', () => {
    const { app, bridge } = setUp()
    const commands: string[] = []
    const routes: string[] = []
    const leave = app.shell.onMenu((command) => commands.push(command))
    app.shell.onOpen((route) => routes.push(route))
    bridge.say({ from: 'shell', event: 'menu', command: 'go.history' })
    bridge.say({ from: 'shell', event: 'open', route: '#/sweep/r1' })
    bridge.say({ from: 'nobody', event: 'menu', command: 'x' })
    leave()
    bridge.say({ from: 'shell', event: 'menu', command: 'go.hosts' })
    expect({ commands, routes }).toEqual({ commands: ['go.history'], routes: ['#/sweep/r1'] })
  })
})
