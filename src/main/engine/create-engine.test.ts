import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { sshdMissing, startSshd } from '../../../test/sshd.ts'
import { hostRequest } from '../../../test/sweep-lab.ts'
import { startTestServer } from '../driver/run/test-server.ts'
import type { Prompter } from '../ssh/index.ts'
import { createEngine } from './create-engine.ts'

const driverPath = resolve(import.meta.dirname, '../../../test/fake-driver.mjs')
const nobody: Prompter = { secret: () => Promise.resolve(undefined), trustHostKey: () => Promise.resolve(undefined) }
const missing = sshdMissing()

test('keeps hosts between engines, and ends twice without harm', async () => {
  const root = mkdtempSync(join(tmpdir(), 'speedgrid-engine-'))
  const options = { dataDir: join(root, 'data'), homeDir: root, prompter: nobody, driverPath }
  const first = createEngine(options)
  first.hosts.add('lab', 'me@10.0.0.7:2222')
  await first.dispose()
  await first.dispose()
  const second = createEngine(options)
  expect(second.hosts.list()).toMatchObject([{ name: 'lab', address: '10.0.0.7', user: 'me', port: 2222 }])
  expect(second.store.runs.list()).toEqual([])
  await second.dispose()
  rmSync(root, { recursive: true, force: true })
})

test('an engine that is over at once has still removed the sockets of killed ones', async () => {
  const root = mkdtempSync(join(tmpdir(), 'speedgrid-engine-'))
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-'))
  const socket = join(folder, 'tunnel.sock')
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', script, socket])
  expect(existsSync(socket)).toBe(true)
  const long = new Date(Date.now() - 600_000)
  utimesSync(folder, long, long)
  await createEngine({ dataDir: join(root, 'data'), homeDir: root, prompter: nobody, driverPath }).dispose()
  expect(existsSync(folder)).toBe(false)
  rmSync(root, { recursive: true, force: true })
})

test.skipIf(missing !== undefined)('the services work together: trust, adopt, sweep, history', async () => {
  const root = mkdtempSync(join(tmpdir(), 'speedgrid-engine-'))
  const sshd = await startSshd({ home: root })
  const server = await startTestServer()
  const engine = createEngine({ dataDir: join(root, 'data'), homeDir: root, prompter: nobody, driverPath })
  try {
    engine.hosts.add('lab', `${sshd.user}@127.0.0.1:${String(sshd.port)}`, { identityFile: sshd.clientKeyPath })
    await expect(engine.hosts.connect('lab')).rejects.toMatchObject({ code: 'host_key_unknown' })
    await engine.hosts.trust('lab', sshd.hostKeyFingerprint)
    const adopted = await engine.servers.adopt('lab', Number(new URL(server.baseUrl).port))
    const handle = await engine.sweeps.start(hostRequest({}, { target: { kind: 'server', host: 'lab', server: adopted.id } }))
    expect(await handle.finished).toMatchObject({ state: 'finished' })
    expect(engine.sweeps.document('last')).toMatchObject({ id: handle.runId, host: { name: 'lab' }, state: 'finished' })
  } finally {
    await engine.dispose()
    await server.close()
    await sshd.stop()
    rmSync(root, { recursive: true, force: true })
  }
})
