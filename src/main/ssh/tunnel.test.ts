import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { createServer as createHttpServer, get, type IncomingMessage, request, type Server } from 'node:http'
import { connect as connectLocal, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sshdMissing, startSshd, type TestSshd } from '../../../test/sshd.ts'
import { createSshConnector, type HostLink, type SshConnector } from './index.ts'
import { FAST, hostAt, scriptedPrompter, temporaryHome } from './test-support.ts'

function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.on('data', (chunk: Buffer) => (text += chunk.toString()))
    response.on('end', () => resolve(text))
    response.on('error', reject)
  })
}
function fetchThrough(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ socketPath, path, agent: false }, (response) => void textOf(response).then(resolve, reject)).on('error', reject)
  })
}

describe.skipIf(sshdMissing())('a tunnel', () => {
  const place = temporaryHome()
  let sshd: TestSshd
  let connector: SshConnector
  let link: HostLink
  let server: Server
  let port = 0
  let aborted = 0

  beforeAll(async () => {
    server = createHttpServer((incoming, response) => {
      if (incoming.url === '/endless') {
        const timer = setInterval(() => response.write('data: x\n\n'), 10)
        response.on('close', () => {
          clearInterval(timer)
          aborted++
        })
      } else if (incoming.url === '/stream') {
        for (let n = 0; n < 200; n++) response.write(`${n}\n`)
        response.end('end')
      } else {
        response.end(`hello ${incoming.url}`)
      }
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as { port: number }).port
    sshd = await startSshd({ clientKeyPassphrase: 'open sesame' })
    place.writeKnownHosts(`[127.0.0.1]:${sshd.port} ${sshd.hostKeyLine}\n`)
    const prompter = scriptedPrompter({ secrets: ['open sesame'] })
    connector = createSshConnector({
      homeDir: place.home,
      ownKnownHostsPath: place.ownKnownHostsPath,
      prompter,
      env: {},
      limits: FAST,
    })
    link = await connector.connect(hostAt(sshd))
  })
  afterAll(async () => {
    await connector?.dispose()
    await sshd?.stop()
    server?.close()
    place.remove()
  })

  it('carries HTTP over a socket that only we can reach, on connections of its own', async () => {
    const tunnel = await link.tunnel(port, { streams: 130 })
    expect(statSync(dirname(tunnel.socketPath)).mode & 0o777).toBe(0o700)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => fetchThrough(tunnel.socketPath, `/${n}`)))
    expect(answers).toEqual(Array.from({ length: 20 }, (_, n) => `hello /${n}`))
    expect(await fetchThrough(tunnel.socketPath, '/stream')).toMatch(/^0\n1\n[\s\S]*199\nend$/)
    await tunnel.dispose()
    expect(existsSync(dirname(tunnel.socketPath))).toBe(false)
    // One control connection, and three data connections that are gone now: nothing is left of the tunnel.
    expect((await link.exec(['true'])).code).toBe(0)
  })

  it('lets the server see at once that a request was given up', async () => {
    const tunnel = await link.tunnel(port)
    const before = aborted
    await new Promise<void>((resolve, reject) => {
      const asking = request({ socketPath: tunnel.socketPath, path: '/endless', agent: false }, (response) => {
        response.once('data', () => {
          asking.destroy()
          resolve()
        })
      })
      asking.on('error', reject)
      asking.end()
    })
    await expect.poll(() => aborted, { timeout: 10_000 }).toBe(before + 1)
    await tunnel.dispose()
  })

  it('ends local connections when the link is cut, and serves new ones on a new connection', async () => {
    const tunnel = await link.tunnel(port)
    const ended = new Promise<string>((resolve) => {
      const asking = get({ socketPath: tunnel.socketPath, path: '/endless', agent: false }, (response) => {
        response.once('data', () => sshd.cutConnections())
        response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
        response.on('end', () => resolve('end'))
      })
      asking.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    })
    expect(await ended).toBe('ECONNRESET')
    await expect
      .poll(() => fetchThrough(tunnel.socketPath, '/again').catch(() => 'not yet'), { timeout: 10_000 })
      .toBe('hello /again')
    await tunnel.dispose()
  })

  it('says that it is down before anything of it is closed, and that it is up again', async () => {
    const tunnel = await link.tunnel(port, { streams: 130 })
    const said: string[] = []
    tunnel.onStateChange((state) => said.push(state.state))
    await new Promise<void>((resolve, reject) => {
      const asking = get({ socketPath: tunnel.socketPath, path: '/endless', agent: false }, (response) => {
        response.once('data', () => sshd.cutConnections())
        response.on('error', () => {
          said.push('closed')
          resolve()
        })
      })
      asking.on('error', reject)
    })
    expect(said.slice(0, 2)).toEqual(['down', 'closed'])
    await expect.poll(() => tunnel.state, { timeout: 20_000 }).toEqual({ state: 'up' })
    expect(await fetchThrough(tunnel.socketPath, '/again')).toBe('hello /again')
    await tunnel.dispose()
  })

  it('says that a host is silent while it is, and when it answers again; what was asked meanwhile is answered', async () => {
    const tunnel = await link.tunnel(port)
    const said: string[] = []
    tunnel.onStateChange(({ state, reason }) => said.push(`${state} ${reason ?? ''}`.trim()))
    const goOn = sshd.freezeConnections()
    const answer = fetchThrough(tunnel.socketPath, '/late')
    await expect.poll(() => said.length, { timeout: 20_000 }).toBe(1)
    expect(said[0]).toMatch(/^down no answer from the host/)
    goOn()
    expect(await answer).toBe('hello /late')
    await expect.poll(() => said.at(-1), { timeout: 20_000 }).toBe('up')
    await tunnel.dispose()
  })

  it('is not silent while it is full of bytes', async () => {
    const tunnel = await link.tunnel(port)
    const said: string[] = []
    tunnel.onStateChange(({ state }) => said.push(state))
    const asking = get({ socketPath: tunnel.socketPath, path: '/endless', agent: false }, (response) => response.resume())
    asking.on('error', () => undefined)
    await delay(4000)
    asking.destroy()
    expect(said).toEqual([])
    await tunnel.dispose()
  })

  it('says that it is full before this process has no file left, and carries on what it carries', async () => {
    const script = join(import.meta.dirname, '../../../test/full-tunnel.ts')
    const plain = await startSshd()
    const { user, clientKeyPath } = plain
    const input = JSON.stringify({ home: place.home, sshd: { port: plain.port, user, clientKeyPath }, port })
    // Room for about thirty connections, less a reserve for everything else.
    const child = spawn('/bin/sh', ['-c', 'ulimit -n 130; exec "$0" "$@"', process.execPath, script, input], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const clients: Socket[] = []
    try {
      await expect.poll(() => said, { timeout: 20_000 }).toMatch(/^socket .*\n/)
      const socketPath = /^socket (.*)$/m.exec(said)?.[1] ?? ''
      for (let count = 0; count < 80; count += 1) clients.push(connectLocal(socketPath).on('error', () => undefined))
      await expect.poll(() => said, { timeout: 20_000 }).toContain('full Speedgrid has reached')
      expect(child.exitCode).toBeNull()
      clients[0]?.write('GET /still HTTP/1.0\r\n\r\n')
      let answer = ''
      clients[0]?.on('data', (chunk: Buffer) => (answer += chunk.toString()))
      await expect.poll(() => answer, { timeout: 20_000 }).toContain('hello /still')
    } finally {
      for (const client of clients) client.destroy()
      child.kill('SIGKILL')
      await plain.stop()
    }
  })

  it('is lost where waiting cures nothing', async () => {
    const folder = temporaryHome()
    const other = await startSshd({})
    folder.writeKnownHosts(`[127.0.0.1]:${other.port} ${other.hostKeyLine}\n`)
    const prompter = scriptedPrompter({})
    const own = createSshConnector({
      homeDir: folder.home,
      ownKnownHostsPath: folder.ownKnownHostsPath,
      prompter,
      env: {},
      limits: FAST,
    })
    const tunnel = await (await own.connect(hostAt(other))).tunnel(port)
    // Another key at the same address: nobody may go on with that by himself.
    await other.stop()
    const impostor = await startSshd({ port: other.port, folder: undefined })
    await expect.poll(() => tunnel.state.state, { timeout: 20_000 }).toBe('lost')
    await own.dispose()
    await impostor.stop()
    folder.remove()
  })

  it('closes the local connection where nothing listens on the host', async () => {
    const tunnel = await link.tunnel(1)
    const socket = connectLocal(tunnel.socketPath)
    await new Promise<void>((resolve) => socket.on('error', () => undefined).on('close', () => resolve()))
    await tunnel.dispose()
    await expect(link.connect(1)).rejects.toMatchObject({ code: 'remote' })
  })

  it('gives a raw connection over the control connection', async () => {
    const duplex = await link.connect(port)
    duplex.write('GET /raw HTTP/1.0\r\n\r\n')
    let text = ''
    await new Promise<void>((resolve) => {
      duplex.on('data', (chunk: Buffer) => (text += chunk.toString()))
      duplex.on('end', () => resolve())
    })
    expect(text).toContain('hello /raw')
  })

  it('asks before anything goes through, and again once a stream was ended or refused by the host', async () => {
    let asked = 0
    const heard: (string | undefined)[] = []
    let allowed = true
    const confirm = () => {
      asked += 1
      return allowed ? Promise.resolve() : Promise.reject(new Error('somebody else listens there'))
    }
    const taken = createHttpServer((incoming, response) => {
      heard.push(incoming.url)
      // As a server does that is killed.
      if (incoming.url === '/die') incoming.socket.destroy()
      else response.end(`taken ${incoming.url}`)
    })
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const tunnel = await link.tunnel((taken.address() as { port: number }).port, { confirm })
    expect(asked).toBe(0)
    expect(await fetchThrough(tunnel.socketPath, '/1')).toBe('taken /1')
    expect(asked).toBe(1)
    await expect(fetchThrough(tunnel.socketPath, '/die')).rejects.toThrow()
    const before = asked
    allowed = false
    await expect(fetchThrough(tunnel.socketPath, '/2')).rejects.toThrow()
    expect(asked).toBe(before + 1)
    expect(heard).toEqual(['/1', '/die'])
    await tunnel.dispose()
    taken.close()
  })
})
