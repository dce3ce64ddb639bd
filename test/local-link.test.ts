import net from 'node:net'
import fs from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { createLocalLink } from './local-link.ts'
import type { LocalLink } from './local-link.ts'

const links: LocalLink[] = []
const link = async () => {
  const made = await createLocalLink({ env: { PATH: '/usr/bin:/bin' } })
  links.push(made)
  return made
}
afterEach(async () => {
  await Promise.all(links.splice(0).map((made) => made.dispose()))
})

test('runs commands and scripts in its home folder, and says 127 for an unknown command', async () => {
  const made = await link()
  expect((await made.exec(['printf', '%s', "it's $HOME"])).stdout).toBe("it's $HOME")
  expect((await made.script('pwd -P; echo "$1|$HOME"', ['a b'])).stdout).toContain(`a b|${made.homeDir}`)
  expect((await made.exec(['no-such-command-here'])).code).toBe(127)
  expect((await made.exec(['cat'], { stdin: 'secret' })).stdout).toBe('secret')
  await expect(made.exec(['sleep', '20'], { timeoutMs: 50 })).rejects.toThrow('did not end')
})

test('files behave as over SFTP, and are gone with the link', async () => {
  const made = await link()
  await made.files.makeFolder('a/b', 0o700)
  await made.files.write('a/b/c', 'one\n', 0o600)
  await made.files.append('a/b/c', 'two\n')
  expect((await made.files.read('a/b/c', 4)).toString()).toBe('two\n')
  expect((await made.files.read('a/b/c', 99)).length).toBe(0)
  expect(((await made.files.stat('a/b/c'))?.mode ?? 0) & 0o777).toBe(0o600)
  expect(await made.files.stat('a/none')).toBeUndefined()
  await expect(made.files.read('none')).rejects.toMatchObject({ code: 'not_found' })
  expect(await made.files.list('a/b')).toEqual(['c'])
  await made.dispose()
  expect(fs.existsSync(made.homeDir)).toBe(false)
})

test('tunnels and connections reach a port of the machine', async () => {
  const made = await link()
  const server = net.createServer((socket) => socket.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  const tunnel = await made.tunnel(port)
  const read = async (stream: AsyncIterable<Buffer>) => {
    let text = ''
    for await (const chunk of stream) text += chunk.toString()
    return text
  }
  expect(await read(net.connect(tunnel.socketPath))).toBe('hello')
  expect(await read((await made.connect(port)) as AsyncIterable<Buffer>)).toBe('hello')
  await new Promise((resolve) => server.close(resolve))
})
