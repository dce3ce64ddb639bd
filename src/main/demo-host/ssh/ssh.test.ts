import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client, ClientChannel, FileEntryWithStats, Stats } from 'ssh2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeKeyPair } from './key-pair.ts'
import { startDemoHost } from '../start-demo-host.ts'
import type { DemoHost } from '../start-demo-host.ts'
import { call, connectTo, openSftp, run } from '../test-ssh.ts'
import { fingerprint } from './server.ts'

let folder: string
let host: DemoHost
let client: Client

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "demo host's test "))
  host = await startDemoHost({ machine: 'h200', folder })
  client = await connectTo(host)
})
afterAll(async () => {
  client.end()
  await host.dispose()
  rmSync(folder, { recursive: true, force: true })
})

describe('authentication', () => {
  it('takes no other key, no other user, no password', async () => {
    const other = makeKeyPair().private
    await expect(connectTo(host, other)).rejects.toThrow(/authentication/i)
    await expect(connectTo({ ...host, user: `${host.user}x` })).rejects.toThrow(/authentication/i)
  })

  it('shows the host key it says it has', async () => {
    const [, type, key] = host.hostKeyLine.split(' ')
    expect(fingerprint(`${type} ${key}`)).toBe(host.hostKeyFingerprint)
    const second = await startDemoHost({ machine: 'h200', folder })
    await second.dispose()
    expect(second.hostKeyFingerprint).not.toBe(host.hostKeyFingerprint)
  })
})

describe('commands', () => {
  it('run in the machine’s home, with its PATH and without our own environment', async () => {
    process.env['SPEEDGRID_TEST_SECRET'] = 'not-for-commands'
    const ran = await run(client, 'pwd; echo "$HOME"; echo "$PATH"; env; echo problem >&2; exit 7')
    const [cwd, home, path] = ran.stdout.split('\n')
    expect([cwd, home]).toEqual([host.home, host.home])
    expect(path?.startsWith(join(host.home, '..', 'bin'))).toBe(true)
    expect(ran).toMatchObject({ code: 7, stderr: 'problem\n' })
    expect(ran.stdout).not.toContain('not-for-commands')
  })

  it('carry megabytes both ways', async () => {
    const megabytes = 'abcdefghijklmno\n'.repeat(4 * 65_536)
    const ran = await run(client, 'cat', megabytes)
    expect(ran.stdout.length).toBe(megabytes.length)
    expect(ran.stdout === megabytes).toBe(true)
    expect(ran.code).toBe(0)
  })

  it('end by a signal, their own or one that was sent', async () => {
    expect(await run(client, 'kill -KILL $$')).toMatchObject({ signal: 'SIGKILL' })
    const ran = await run(client, 'exec sleep 60', null, (channel) => setTimeout(() => channel.signal('TERM'), 200))
    expect(ran.signal).toBe('SIGTERM')
  })

  it('have a session of their own, and stay when the connection goes', async () => {
    const other = await connectTo(host)
    const { stdout } = await run(other, 'sleep 60 > /dev/null 2>&1 < /dev/null & echo $!; ps -o sid= -p $$; echo $$')
    const [background = '', session, shell] = stdout.split('\n').map((line) => line.trim())
    expect(session).toBe(shell)
    other.end()
    expect((await run(client, `kill -0 ${background} && echo there; kill ${background}`)).stdout).toBe('there\n')
  })

  it('find a vllm, an nvidia-smi and a node', async () => {
    const ran = await run(
      client,
      'vllm --version; nvidia-smi -L; node --version; nvidia-smi --query-gpu=nope --format=csv; echo $?',
    )
    const [version, gpu, node, complaint, status] = ran.stdout.split('\n')
    expect(version).toBe('0.26.1rc1.dev638+g52be12cfa')
    expect(gpu).toMatch(/^GPU 0: NVIDIA H200 NVL/)
    expect(node).toBe(process.version)
    expect([complaint, status]).toEqual(['Field "nope" is not a valid field to query.', '2'])
  })
})

describe('SFTP', () => {
  it('writes, appends, reads, lists, renames and removes on the real file system', async () => {
    const sftp = await openSftp(client)
    await call((done) => sftp.mkdir('sub', { mode: 0o700 }, done))
    await call((done) => sftp.writeFile('sub/a', 'x'.repeat(300_000), { mode: 0o600 }, done))
    await call((done) => sftp.appendFile('sub/a', 'end', done))
    const stats = await call<Stats>((done) => sftp.stat('sub/a', done))
    expect([stats.size, stats.mode & 0o777, stats.isFile()]).toEqual([300_003, 0o600, true])
    const read = await call<Buffer>((done) => sftp.readFile('sub/a', done))
    expect(read.subarray(-5).toString()).toBe('xxend')
    const list = await call<FileEntryWithStats[]>((done) => sftp.readdir('sub', done))
    expect(list.map((entry) => entry.filename)).toEqual(['a'])

    await call((done) => sftp.writeFile('sub/b', 'older', done))
    await expect(call((done) => sftp.rename('sub/a', 'sub/b', done))).rejects.toThrow('Failure')
    await call((done) => sftp.ext_openssh_rename('sub/a', 'sub/b', done))
    await call((done) => sftp.chmod('sub/b', 0o640, done))
    await call((done) => sftp.symlink('b', 'sub/link', done))
    expect((await call<Stats>((done) => sftp.lstat('sub/link', done))).isSymbolicLink()).toBe(true)
    expect(await call<string>((done) => sftp.realpath('sub', done))).toBe(join(host.home, 'sub'))
    expect((await run(client, 'stat -c "%a %s" sub/b; ls sub')).stdout).toBe('640 300003\nb\nlink\n')
    await call((done) => sftp.unlink('sub/b', done))
    await call((done) => sftp.unlink('sub/link', done))
    await call((done) => sftp.rmdir('sub', done))
    await expect(call<Stats>((done) => sftp.stat('sub', done))).rejects.toMatchObject({ code: 2 })
    sftp.end()
  })

  it('says no in SFTP’s own codes', async () => {
    const sftp = await openSftp(client)
    await expect(call<Buffer>((done) => sftp.readFile('missing', done))).rejects.toMatchObject({ code: 2 })
    await expect(call((done) => sftp.writeFile('/dev/full', 'x', done))).rejects.toMatchObject({ code: 4 })
    await expect(call((done) => sftp.writeFile('nowhere/file', 'x', done))).rejects.toMatchObject({ code: 2 })
    sftp.end()
  })
})

describe('forwarding', () => {
  let echo: Server
  let port: number
  const open = (address: string, to: number) =>
    call<ClientChannel>((done) => client.forwardOut('127.0.0.1', 0, address, to, done))

  beforeAll(async () => {
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket))
    await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done))
    port = (echo.address() as AddressInfo).port
  })
  afterAll(() => echo.close())

  it('carries megabytes to a loopback port and ends when one side does', async () => {
    const channel = await open('127.0.0.1', port)
    const sent = Buffer.alloc(3_000_000, 'speedgrid')
    const received: Buffer[] = []
    channel.on('data', (chunk: Buffer) => received.push(chunk))
    const closed = new Promise((done) => channel.on('close', done))
    channel.end(sent)
    await closed
    expect(Buffer.concat(received).equals(sent)).toBe(true)
  })

  it('closes the port’s side when the channel is closed', async () => {
    const ended = new Promise<void>((done) => echo.once('connection', (socket) => socket.once('close', () => done())))
    const channel = await open('127.0.0.1', port)
    channel.write('hello')
    await new Promise((done) => channel.once('data', done))
    channel.close()
    await ended
  })

  it('refuses closed ports and other machines', async () => {
    await expect(open('127.0.0.1', 1)).rejects.toThrow()
    await expect(open('10.0.0.1', port)).rejects.toThrow()
  })
})
