import { describe, expect, it } from 'vitest'
import type { EngineLink } from '../engine-link/engine-link.ts'
import { askEngine } from './ask-engine.ts'
import type { EngineLife, ToPage } from './envelope.ts'
import { createHub } from './hub.ts'

function createFakeLink(state: EngineLife) {
  const said: string[] = []
  const link: EngineLink & { state: EngineLife } = {
    state,
    open: (connection) => said.push(`open ${String(connection)}`),
    send: (connection, data) => said.push(`send ${String(connection)} ${data}`),
    close: (connection) => said.push(`close ${String(connection)}`),
    dispose: () => Promise.resolve(),
  }
  return { link, said }
}

function setUp(state: EngineLife = 'up') {
  const hub = createHub()
  const { link, said } = createFakeLink(state)
  const events = hub.eventsFor(() => link)
  hub.use(link)
  return { hub, link, said, events }
}

describe('the hub', () => {
  it('gives each page a connection of its own, and each new socket a new number', () => {
    const { hub, said, events } = setUp()
    const [one, two]: ToPage[][] = [[], []]
    const first = hub.addPage((message) => one?.push(message))
    const second = hub.addPage((message) => two?.push(message))
    expect(first.connect()).toBe('up')
    second.connect()
    first.toEngine('a')
    first.connect()
    first.toEngine('b')
    expect(said).toEqual(['open 1', 'open 2', 'send 1 a', 'close 1', 'open 3', 'send 3 b'])
    events.data(2, 'for the second')
    events.data(1, 'for a socket that is gone')
    expect(one).toEqual([])
    expect(two).toEqual([{ from: 'engine', data: 'for the second' }])
  })

  it('tells pages when the engine is gone and drops what they say until it is back', () => {
    const { hub, link, said, events } = setUp()
    const heard: ToPage[] = []
    const page = hub.addPage((message) => heard.push(message))
    page.connect()
    link.state = 'restarting'
    events.state('restarting')
    page.toEngine('lost')
    expect(page.connect()).toBe('restarting')
    link.state = 'up'
    events.state('up')
    page.toEngine('kept')
    expect(said).toEqual(['open 1', 'open 2', 'send 2 kept'])
    expect(heard).toEqual([
      { from: 'shell', event: 'engine', state: 'restarting' },
      { from: 'shell', event: 'engine', state: 'up' },
    ])
  })

  it('ends a connection with its page, and tells a page whose connection the engine ended', () => {
    const { hub, said, events } = setUp()
    const heard: ToPage[] = []
    const page = hub.addPage((message) => heard.push(message))
    page.connect()
    events.closed(1)
    expect(heard).toEqual([{ from: 'shell', event: 'engine', state: 'down' }])
    page.connect()
    page.disconnect()
    page.dispose()
    expect(said).toEqual(['open 1', 'open 2', 'close 2'])
  })

  it('does not hear a link that is not used any more', () => {
    const { hub, said, events } = setUp()
    const heard: ToPage[] = []
    const page = hub.addPage((message) => heard.push(message))
    page.connect()
    const other = createFakeLink('up')
    hub.use(other.link)
    heard.length = 0
    events.data(1, 'old')
    events.state('down')
    expect(heard).toEqual([])
    page.toEngine('new')
    expect(said).toEqual(['open 1', 'close 1'])
    expect(other.said).toEqual(['open 2', 'send 2 new'])
  })
})

describe('a question of the shell itself', () => {
  it('is one request on a connection of its own', async () => {
    const { hub, said, events } = setUp()
    const answer = askEngine(hub, { method: 'query', path: 'app.info', input: null })
    events.data(1, 'PING')
    events.data(1, JSON.stringify({ id: 1, result: { type: 'data', data: { version: '1' } } }))
    expect(await answer).toEqual({ version: '1' })
    expect(said).toEqual(['open 1', 'send 1 {"id":1,"method":"query","params":{"path":"app.info","input":null}}', 'close 1'])
  })

  it('fails when the engine refuses, is gone or goes', async () => {
    const { hub, events } = setUp()
    const refused = askEngine(hub, { method: 'query', path: 'x', input: null })
    events.data(1, JSON.stringify({ id: 1, error: { message: 'No such run.', code: -32004 } }))
    await expect(refused).rejects.toThrow('No such run.')
    const left = askEngine(hub, { method: 'query', path: 'x', input: null })
    events.state('restarting')
    await expect(left).rejects.toThrow('gone')
    await expect(askEngine(setUp('down').hub, { method: 'query', path: 'x', input: null })).rejects.toThrow('gone')
  })
})
