import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { askForLink, listenForOwner, mintSocketPath } from './mint-socket.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-mint-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const minted = (n: number) => ({
  link: `http://127.0.0.1:1/open?token=${String(n)}`,
  address: 'http://127.0.0.1:1',
  port: 1,
  pid: 4711,
})
const unix = process.platform !== 'win32'

test('a running one gives a new link to each who asks, and is alone on its folder', async () => {
  expect(await askForLink(dataDir)).toBeUndefined()
  let count = 0
  const door = await listenForOwner(dataDir, () => minted(++count))
  expect(await askForLink(dataDir)).toEqual(minted(1))
  expect(await askForLink(dataDir)).toEqual(minted(2))
  expect(await listenForOwner(dataDir, () => minted(99))).toBeUndefined()
  await door?.close()
  expect(await askForLink(dataDir)).toBeUndefined()
})

test.runIf(unix)('the socket is for its owner alone, and goes with its process', async () => {
  const door = await listenForOwner(dataDir, () => minted(1))
  expect(statSync(mintSocketPath(dataDir)).mode & 0o777).toBe(0o600)
  await door?.close()
  expect(() => statSync(mintSocketPath(dataDir))).toThrow('ENOENT')
})

test.runIf(unix)('what a killed one left behind is taken away; what is no socket is not asked', async () => {
  writeFileSync(mintSocketPath(dataDir), 'left behind')
  expect(await askForLink(dataDir)).toBeUndefined()
  const door = await listenForOwner(dataDir, () => minted(1))
  expect(await askForLink(dataDir)).toEqual(minted(1))
  await door?.close()
})

test.runIf(unix)('a folder with a long path gets its socket elsewhere, private too', async () => {
  const deep = join(dataDir, 'x'.repeat(120))
  mkdirSync(deep)
  const path = mintSocketPath(deep)
  expect(Buffer.byteLength(path)).toBeLessThan(100)
  const door = await listenForOwner(deep, () => minted(1))
  expect(await askForLink(deep)).toEqual(minted(1))
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  await door?.close()
  expect(() => statSync(path)).toThrow('ENOENT')
})

test.runIf(unix)('one that says something else is no Speedgrid', async () => {
  const server = createServer((socket) => socket.resume().end('{"link": 5}\n'))
  await new Promise<void>((resolve) => server.listen(mintSocketPath(dataDir), resolve))
  expect(await askForLink(dataDir)).toBeUndefined()
  await new Promise((resolve) => server.close(resolve))
})
