import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeDeadSockets } from './tunnel-socket.ts'

const LATER = Date.now() + 3_600_000

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sockets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The socket of a process that is there (and listens), or was killed. */
async function socketOfProcess(folder: string, name: string, kill: boolean): Promise<string> {
  const path = join(folder, name, 'tunnel.sock')
  mkdirSync(dirname(path), { mode: 0o700 })
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.stdout.write('up'))`
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  if (!kill) return path
  child.kill('SIGKILL')
  await gone
  expect(existsSync(path)).toBe(true)
  return path
}

test('the socket of a killed engine goes, that of a living one stays', async () => {
  const folder = newFolder()
  const dead = await socketOfProcess(folder, 'speedgrid-Dead01', true)
  const living = await socketOfProcess(folder, 'speedgrid-Live01', false)
  await removeDeadSockets(folder)
  // Young ones may be about to listen.
  expect(existsSync(dead)).toBe(true)
  await removeDeadSockets(folder, LATER)
  expect(existsSync(dirname(dead))).toBe(false)
  expect(existsSync(living)).toBe(true)
})

test('nothing else is touched: other names, other things in it, folders that others may write', async () => {
  const folder = newFolder()
  const named = await socketOfProcess(folder, 'other-Dead01', true)
  const full = await socketOfProcess(folder, 'speedgrid-Full01', true)
  writeFileSync(join(dirname(full), 'mine'), '')
  const open = await socketOfProcess(folder, 'speedgrid-Open01', true)
  chmodSync(dirname(open), 0o755)
  const file = join(folder, 'speedgrid-File01', 'tunnel.sock')
  mkdirSync(dirname(file), { mode: 0o700 })
  writeFileSync(file, '')
  await removeDeadSockets(folder, LATER)
  for (const path of [named, full, open, file]) expect(existsSync(path)).toBe(true)
  await removeDeadSockets(join(folder, 'nothing'), LATER)
})
