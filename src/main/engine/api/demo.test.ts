import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DemoView } from '../../../shared/contract/app.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { DemoHostProcess } from '../demo/index.ts'
import { createHosts } from '../../hosts/index.ts'
import { createStore, type Store } from '../../store/index.ts'
import { newRun } from '../../store/spool-lines.testing.ts'
import { createDemoManager } from './demo.ts'
import { follow, replaced } from './test-lab.ts'

let root: string
let store: Store
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'speedgrid-demo-api-'))
  store = createStore({ dataDir: root })
})
afterEach(() => {
  store.dispose()
  rmSync(root, { recursive: true, force: true })
})

function world(options: { fingerprint?: string; fails?: boolean } = {}) {
  const machines: { machine: string; disposed: boolean; end: (said: string) => void }[] = []
  const trusted: string[] = []
  const stopped: string[] = []
  const ssh = {
    configAliases: () => [],
    recordedKeys: () => [
      { line: 'demo line', host: '[127.0.0.1]:40022', keyType: 'k', fingerprint: 'SHA256:abc' },
      { line: 'other line', host: 'lab', keyType: 'k', fingerprint: 'SHA256:abc' },
    ],
    forgetKey: (line: string) => void forgotten.push(line),
  }
  const forgotten: string[] = []
  const hosts = createHosts({
    store: store.hosts,
    ssh: {
      connect: () => Promise.reject(new Error('not asked')),
      readHostKey: () =>
        Promise.resolve({
          hop: 'h',
          keyType: 'k',
          fingerprint: options.fingerprint ?? 'SHA256:abc',
          state: 'unknown',
          knownFingerprints: [],
        }),
      trust: (_host, fingerprint) => {
        trusted.push(fingerprint)
        return Promise.resolve()
      },
      configAliases: () => [],
      describe: () => ({ hops: [], notes: [] }),
      dispose: () => Promise.resolve(),
    },
  })
  const start = (platform: NodeJS.Platform = 'linux') =>
    createDemoManager({
      engine: { hosts, store, ssh },
      platform,
      onHosts: () => undefined,
      stopSweeps: (host) => {
        stopped.push(host)
        return Promise.resolve()
      },
      startDemoHost: ({ machine }): Promise<DemoHostProcess> => {
        if (options.fails === true)
          return Promise.reject(new SpeedgridError('usage', 'no such machine', { evidence: ['h200, …'] }))
        let end: (said: string) => void = () => {}
        const exited = new Promise<string>((resolve) => {
          end = resolve
        })
        const one = { machine, disposed: false, end }
        machines.push(one)
        return Promise.resolve({
          ready: {
            machine,
            address: '127.0.0.1',
            port: 40_022,
            user: 'me',
            clientKeyPath: join(root, 'key'),
            hostKeyFingerprint: 'SHA256:abc',
            hostKeyLine: '',
            launchWords: ['vllm', 'serve', 'a model'],
          },
          exited,
          dispose: () => {
            one.disposed = true
            return Promise.resolve()
          },
        })
      },
    })
  return { start, hosts, machines, trusted, stopped, forgotten }
}

test('comes with its host and command, is not started twice, and goes with everything it brought', async () => {
  const { start, hosts, machines, trusted, stopped, forgotten } = world()
  const demo = start()
  const ready: DemoView = { state: 'ready', machine: 'h200', host: 'demo', command: "vllm serve 'a model'" }
  const watching = follow(
    (signal) => demo.watch(signal),
    replaced,
    ({ state }) => state === 'ready',
  )
  expect(await Promise.all([demo.start('h200'), demo.start('h200')])).toEqual([ready, ready])
  expect(await watching).toEqual(ready)
  expect(machines).toHaveLength(1)
  expect(trusted).toEqual(['SHA256:abc'])
  expect(hosts.list()).toMatchObject([{ name: 'demo', demo: true, port: 40_022 }])
  store.runs.create(newRun('r1', { contexts: [0], concurrency: [1] }, { demo: true, host: { name: 'demo' } }))
  await demo.stop()
  expect(machines[0]?.disposed).toBe(true)
  expect(stopped).toEqual(['demo'])
  expect(hosts.list()).toEqual([])
  expect(forgotten).toEqual(['demo line'])
  expect(store.runs.find('r1').state).toBe('stopped')
  expect(
    await follow(
      (signal) => demo.watch(signal),
      replaced,
      () => true,
    ),
  ).toEqual({ state: 'off' })
})

test('another machine takes the place of the first', async () => {
  const { start, machines } = world()
  const demo = start()
  await demo.start('h200')
  expect(await demo.start('rtx-pro-6000')).toMatchObject({ state: 'ready', machine: 'rtx-pro-6000' })
  expect(machines.map(({ machine, disposed }) => `${machine} ${String(disposed)}`)).toEqual(['h200 true', 'rtx-pro-6000 false'])
  await demo.dispose()
  expect(machines.every(({ disposed }) => disposed)).toBe(true)
})

test('says why it did not start, why it ended, and what it is not made for', async () => {
  expect(await world({ fails: true }).start().start('h300')).toMatchObject({ state: 'failed', reason: 'no such machine h200, …' })
  const other = world({ fingerprint: 'SHA256:other' })
  expect(await other.start().start('h200')).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('Something else answers') as string,
  })
  expect(other.machines[0]?.disposed).toBe(true)
  expect(other.hosts.list()).toEqual([])

  const dying = world()
  const demo = dying.start()
  await demo.start('h200')
  const failed = follow(
    (signal) => demo.watch(signal),
    replaced,
    ({ state }) => state === 'failed',
  )
  dying.machines[0]?.end('out of memory')
  expect(await failed).toMatchObject({ machine: 'h200', reason: 'out of memory' })
  expect(dying.hosts.list()).toEqual([])

  const mac = world()
  expect(await mac.start('darwin').start('h200')).toMatchObject({ state: 'unsupported' })
  expect(mac.machines).toEqual([])
})
