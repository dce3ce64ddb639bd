import { spawn } from 'node:child_process'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createDriverClient } from '../stream/client.ts'
import { watchPortOwner } from './port-owner.ts'

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

async function listen(port = 0): Promise<{ port: number; keys: (string | undefined)[]; close: () => Promise<void> }> {
  const keys: (string | undefined)[] = []
  const server = http.createServer((request, response) => {
    keys.push(request.headers.authorization)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  open.push(() => void close())
  return { port: (server.address() as AddressInfo).port, keys, close }
}

const job = (port: number, listenerUid?: number) => ({
  place: 'host' as const,
  target: { baseUrl: `http://127.0.0.1:${String(port)}` },
  ...(listenerUid === undefined ? {} : { serverProcess: { listenerUid } }),
})

test('a server beside us in another place is no matter of the process table', () => {
  expect(watchPortOwner({ ...job(80), place: 'tunnel' })).toBeUndefined()
})

test.skipIf(process.platform !== 'linux')(
  'a socket of our own account may have the key; a port that is free is refused by itself',
  async () => {
    const { port, keys, close } = await listen()
    const portOwner = watchPortOwner(job(port))
    const client = createDriverClient({ baseUrl: job(port).target.baseUrl, apiKey: 'sk-1', ...(portOwner && { portOwner }) })
    expect((await client.request('GET', '/v1/models')).status).toBe(200)
    expect(keys).toEqual(['Bearer sk-1'])
    await close()
    await expect(client.request('GET', '/v1/models')).rejects.toMatchObject({
      message: expect.stringContaining('refused') as string,
    })
    client.dispose()
  },
)

const noRoot = process.getuid?.() === 0 ? undefined : 'only root can listen as another account'
test.skipIf(noRoot !== undefined)(
  `nothing is sent to another account that took the port of a server that ended${noRoot === undefined ? '' : ` (not tried: ${noRoot})`}`,
  async () => {
    const { port, keys, close } = await listen()
    const portOwner = watchPortOwner(job(port))
    const client = createDriverClient({ baseUrl: job(port).target.baseUrl, apiKey: 'sk-1', ...(portOwner && { portOwner }) })
    expect((await client.request('GET', '/v1/models')).status).toBe(200)
    await close()
    const script = `
      require('node:http').createServer((request, response) => {
        console.log(request.headers.authorization ?? 'asked')
        response.end('{}')
      }).listen(${String(port)}, '127.0.0.1', () => console.log('listening'))`
    const thief = spawn(process.execPath, ['-e', script], {
      uid: 64_321,
      gid: 64_321,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    open.push(() => thief.kill())
    let heard = ''
    await new Promise<void>((resolve) =>
      thief.stdout.on('data', (chunk: Buffer) => {
        heard += chunk.toString()
        if (heard.includes('listening')) resolve()
      }),
    )
    const message = expect.stringContaining(`port ${String(port)} is listened on by uid 64321, not by the server`) as string
    await expect(client.request('GET', '/v1/models')).rejects.toMatchObject({ code: 'server_gone', message })
    const stream = client.stream({ path: '/v1/completions', body: Buffer.from('{}') })
    expect((await stream.done).error).toMatchObject({ kind: 'connect', message })
    expect(heard).toBe('listening\n')
    expect(keys).toEqual(['Bearer sk-1'])
    client.dispose()

    // Adopted from that account: then it is the right one, and ours is not.
    const theirs = watchPortOwner(job(port, 64_321))
    expect(theirs?.problem()).toBeUndefined()
  },
)
