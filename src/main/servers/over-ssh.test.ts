import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeWords } from '../../shared/command/index.ts'
import { sshdMissing, startSshd, type TestSshd } from '../../../test/sshd.ts'
import { createSshConnector, type HostLink, type SshConnector } from '../ssh/index.ts'
import { createServers } from './service.ts'
import { grepFolder, processesWith } from './test-host.ts'

const fixtures = resolve(import.meta.dirname, 'fixtures')

describe.skipIf(sshdMissing() !== undefined)('servers over a real sshd', () => {
  let home: string
  let sshd: TestSshd
  let connector: SshConnector
  let link: HostLink | undefined
  let vllm: string
  const engine = () =>
    createServers({
      connect: () => (link === undefined ? Promise.reject(new Error('no link')) : Promise.resolve(link)),
      inventory: () => Promise.reject(new Error('not needed')),
      pollMs: 100,
    })

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'speedgrid-servers-'))
    await mkdir(join(home, 'my env/bin'), { recursive: true })
    vllm = join(home, 'my env/bin/vllm')
    await copyFile(join(fixtures, 'fake-vllm'), vllm)
    sshd = await startSshd({ home })
    connector = createSshConnector({
      homeDir: home,
      ownKnownHostsPath: join(home, 'known_hosts'),
      env: {},
      systemConfigPath: join(home, 'none'),
      prompter: { secret: () => Promise.resolve(undefined), trustHostKey: () => Promise.resolve(true) },
      limits: { firstDelayMs: 30, maxDelayMs: 200, giveUpMs: 20_000 },
    })
    link = await connector.connect({
      name: 'lab',
      address: '127.0.0.1',
      user: sshd.user,
      port: sshd.port,
      identityFile: sshd.clientKeyPath,
      demo: false,
      addedAt: new Date().toISOString(),
    })
  })
  afterAll(async () => {
    const servers = engine()
    for (const { server } of link === undefined ? [] : await servers.list('lab')) await servers.stop('lab', server.id)
    await connector.dispose()
    await sshd.stop()
    await rm(home, { recursive: true, force: true })
  })

  it('launches, survives the connection, is found and stopped by another engine', async () => {
    const first = engine()
    const words = [`FAKE_NODE=${process.execPath}`, `FAKE_SERVER=${join(fixtures, 'fake-server.mjs')}`, vllm, 'serve', `it's "m"`]
    const outcome = await first.launch({ host: 'lab', text: writeWords(words), name: 'one' })
    expect(outcome.error).toBeUndefined()
    expect(outcome.state).toBe('ready')
    const { server } = outcome
    await first.dispose()

    let log = ''
    const abort = new AbortController()
    const second = engine()
    const tail = second.log('lab', 'one', (text) => (log += text), { follow: true, signal: abort.signal })
    expect(sshd.cutConnections()).toBeGreaterThan(0)
    expect(await second.find('lab')).toMatchObject({ state: 'ready', server: { id: server.id } })
    const key = (await second.apiKey(server)) ?? ''
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    const seen = await processesWith(key)
    expect(new Set(seen.map(({ session, inArgv }) => `${String(session)} ${String(inArgv)}`))).toEqual(
      new Set([`${String(server.identity?.session)} false`]),
    )
    expect(await grepFolder(home, key)).toEqual([])
    expect(await readFile(join(server.folder ?? '', 'server.json'), 'utf8')).toContain(`it's`)

    const report = await second.stop('lab', 'one')
    expect(report).toMatchObject({ stopped: true, left: [], portFree: true })
    await tail
    expect(log).toContain('Application startup complete')
    expect(await processesWith(server.id)).toEqual([])
    // Not even the folders above it.
    expect(await link?.files.stat('.cache/speedgrid')).toBeUndefined()
    abort.abort()
  })
})
