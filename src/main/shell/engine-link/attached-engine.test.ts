import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { readAttachAddress } from './attach-address.ts'
import { createAttachedEngine } from './attached-engine.ts'
import type { EngineLink } from './engine-link.ts'
import { exchangeToken } from './exchange-token.ts'

/** The front door of a page as far as the shell sees it: a link that is good once, a cookie, a socket that wants cookie and origin. */
async function startDoor({ port = 0, cookie = 'speedgrid-1=abc' } = {}) {
  const tokens = new Set(['one', 'two'])
  const sockets = new WebSocketServer({ noServer: true })
  const http: Server = createServer((request, response) => {
    const token = new URL(request.url ?? '', 'http://x').searchParams.get('token') ?? ''
    if (tokens.delete(token)) {
      response.setHeader('set-cookie', `${cookie}; HttpOnly; SameSite=Strict; Path=/`)
      response.setHeader('x-speedgrid-key', 'k1').end('<p>open')
    } else response.writeHead(request.url === '/other' ? 200 : 401).end()
  })
  http.on('upgrade', (request, socket, head) => {
    const isOurs =
      request.headers.cookie === cookie &&
      request.headers['sec-websocket-protocol'] === 'speedgrid,k1' &&
      request.headers.origin === `http://${String(request.headers.host)}`
    if (!isOurs) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on('message', (data) => {
        accepted.send(`echo ${(data as Buffer).toString()}`)
      })
    })
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    for (const client of sockets.clients) client.terminate()
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  }
  const at = (http.address() as AddressInfo).port
  return { port: at, link: (token: string) => `http://127.0.0.1:${String(at)}/open?token=${token}`, close }
}

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const addressOf = (link: string) => {
  const address = readAttachAddress(link)
  if (address === undefined) throw new Error('no address')
  return address
}

async function attach(link: string) {
  const address = addressOf(link)
  const admission = await exchangeToken(address)
  const heard: string[] = []
  const engine: EngineLink = createAttachedEngine({
    address,
    admission,
    events: {
      state: (state) => heard.push(state),
      data: (connection, data) => heard.push(`${String(connection)}: ${data}`),
      closed: (connection) => heard.push(`closed ${String(connection)}`),
    },
    refused: () => heard.push('refused'),
  })
  ends.push(() => engine.dispose())
  return { engine, heard }
}
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 15_000 })

describe('the link of a served engine', () => {
  it.each([
    ['http://127.0.0.1:4711/open?token=x', 'ws://127.0.0.1:4711/trpc'],
    ['  http://localhost:4711/open?token=x\n', 'ws://localhost:4711/trpc'],
    ['http://[::1]:4711/', 'ws://[::1]:4711/trpc'],
    ['https://lab.example/open?token=x', 'wss://lab.example/trpc'],
  ])('%s', (text, socket) => {
    expect(readAttachAddress(text)).toMatchObject({ socket })
    expect(readAttachAddress(text)?.label).not.toContain('token')
  })

  it.each(['', 'lab:4711', 'http://lab.example/open?token=x', 'http://me:pw@127.0.0.1:1/', 'file:///etc/passwd'])(
    'not %s',
    (text) => {
      expect(readAttachAddress(text)).toBeUndefined()
    },
  )

  it('is exchanged for cookie and key once, and says what is wrong the second time', async () => {
    const door = await startDoor()
    ends.push(door.close)
    expect(await exchangeToken(addressOf(door.link('one')))).toEqual({ cookie: 'speedgrid-1=abc', key: 'k1' })
    await expect(exchangeToken(addressOf(door.link('one')))).rejects.toThrow('used already')
    await expect(exchangeToken(addressOf(`http://127.0.0.1:${String(door.port)}/other`))).rejects.toThrow('HTTP 200')
    await door.close()
    ends.length = 0
    await expect(exchangeToken(addressOf(door.link('two')))).rejects.toThrow('ECONNREFUSED')
  })
})

describe('an attached engine', () => {
  it('has a socket for each connection, and loses nothing said before it is open', async () => {
    const door = await startDoor()
    ends.push(door.close)
    const { engine, heard } = await attach(door.link('one'))
    engine.open(1)
    engine.send(1, 'a')
    engine.open(2)
    engine.send(2, 'b')
    await eventually(() => expect(heard.toSorted()).toEqual(['1: echo a', '2: echo b']))
    engine.close(1)
    engine.send(1, 'nobody')
    engine.send(2, 'c')
    await eventually(() => expect(heard.at(-1)).toBe('2: echo c'))
    expect(heard).toHaveLength(3)
  })

  it('is found again when it was away', async () => {
    const door = await startDoor()
    const { engine, heard } = await attach(door.link('one'))
    engine.open(1)
    engine.send(1, 'a')
    await eventually(() => expect(heard).toEqual(['1: echo a']))
    await door.close()
    await eventually(() => expect(engine.state).toBe('restarting'))
    const again = await startDoor({ port: door.port })
    ends.push(again.close)
    await eventually(() => expect(engine.state).toBe('up'))
    engine.open(2)
    engine.send(2, 'b')
    await eventually(() => expect(heard.at(-1)).toBe('2: echo b'))
    expect(heard).toEqual(['1: echo a', 'closed 1', 'restarting', 'up', '2: echo b'])
  })

  it('says so when it was started anew and does not know us any more', async () => {
    const door = await startDoor()
    const { engine, heard } = await attach(door.link('one'))
    engine.open(1)
    engine.send(1, 'a')
    await eventually(() => expect(heard).toEqual(['1: echo a']))
    await door.close()
    const other = await startDoor({ port: door.port, cookie: 'speedgrid-1=new' })
    ends.push(other.close)
    await eventually(() => expect(heard.at(-1)).toBe('refused'))
    expect(engine.state).toBe('down')
  })
})
