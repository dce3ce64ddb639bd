import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TestHost } from '../../../test/lab-host.ts'
import { createTestHost } from '../../../test/lab-host.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Host } from '../../shared/model/host.ts'
import type { HostLink } from '../ssh/types.ts'
import type { Store } from '../store/index.ts'
import { createStore } from '../store/index.ts'
import { createHosts } from './index.ts'
import type { HostsService } from './types.ts'

let folder = ''
let store: Store
let lab: TestHost
let hosts: HostsService
let opened: Host[] = []
let openNext: (host: Host) => Promise<HostLink>
const trusted: string[] = []

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'speedgrid-hosts-'))
  store = createStore({ dataDir: folder })
  lab = await createTestHost()
  opened = []
  trusted.length = 0
  openNext = async () => lab.link
  hosts = createHosts({
    store: store.hosts,
    clock: { now: () => Date.UTC(2026, 0, 2) },
    ssh: {
      connect: async (host) => {
        opened.push(host)
        return await openNext(host)
      },
      readHostKey: async (host) => ({
        hop: host.address,
        keyType: 'ssh-ed25519',
        fingerprint: 'SHA256:a',
        state: 'unknown',
        knownFingerprints: [],
      }),
      trust: async (host, fingerprint) => void trusted.push(`${host.name} ${fingerprint}`),
      configAliases: () => ['in-config'],
      describe: (host) => ({ hops: [{ label: host.address, hostName: host.address, port: 22, user: 'ann' }], notes: [] }),
      dispose: async () => undefined,
    },
  })
})
afterEach(async () => {
  await hosts.dispose()
  await lab.link.dispose()
  store.dispose()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('adds, lists, finds and removes; the list is on disk', () => {
  const added = hosts.add('lab1', 'ann@10.0.0.5:2222', { identityFile: '~/.ssh/lab' })
  expect(added).toEqual({
    name: 'lab1',
    address: '10.0.0.5',
    user: 'ann',
    port: 2222,
    identityFile: '~/.ssh/lab',
    demo: false,
    addedAt: '2026-01-02T00:00:00.000Z',
  })
  expect(hosts.get('lab1')).toEqual(added)
  expect(store.hosts.list()).toEqual([added])
  expect(() => hosts.add('lab1', 'other')).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect(() => hosts.add('no spaces', 'other')).toThrow(expect.objectContaining({ code: 'usage' }))
  hosts.remove('lab1')
  expect(hosts.list()).toEqual([])
})

test('an unknown host names what is near, and what the SSH configuration knows', () => {
  hosts.add('h200-lab', 'x')
  expect(() => hosts.get('h20-lab')).toThrow(
    expect.objectContaining({ code: 'unknown_host', nextStep: expect.stringContaining('Did you mean h200-lab?') }),
  )
  expect(() => hosts.get('in-config')).toThrow(
    expect.objectContaining({ nextStep: expect.stringContaining('speedgrid hosts add in-config in-config') }),
  )
  expect(() => hosts.remove('none')).toThrow(expect.objectContaining({ code: 'unknown_host' }))
})

test('one connection is shared and kept; a closed or failed one is opened again', async () => {
  hosts.add('lab1', 'x')
  const [first, second] = await Promise.all([hosts.connect('lab1'), hosts.connect('lab1')])
  expect(first).toBe(second)
  expect(opened).toHaveLength(1)
  lab.link.announce({ state: 'reconnecting' })
  await hosts.connect('lab1')
  expect(opened).toHaveLength(1)
  lab.link.announce({ state: 'closed', reason: 'gave up' })
  await hosts.connect('lab1')
  expect(opened).toHaveLength(2)

  lab.link.announce({ state: 'closed' })
  openNext = async () => Promise.reject(new SpeedgridError('auth', 'no'))
  await expect(hosts.connect('lab1')).rejects.toMatchObject({ code: 'auth' })
  openNext = async () => lab.link
  await expect(hosts.connect('lab1')).resolves.toBe(lab.link)
  expect(opened).toHaveLength(4)
})

test('inventory and trust go to the host of that name', async () => {
  hosts.add('lab1', 'x')
  const given = lab.program('odd/place/vllm', 'echo 3.2.1')
  const inventory = await hosts.inventory('lab1', { vllm: [given] })
  expect(inventory.environments[0]).toEqual({ vllm: given, version: '3.2.1' })
  await hosts.trust('lab1', 'SHA256:a')
  expect(trusted).toEqual(['lab1 SHA256:a'])
  expect((await hosts.readHostKey('lab1')).state).toBe('unknown')
})

test('nothing is opened after the end', async () => {
  hosts.add('lab1', 'x')
  await hosts.connect('lab1')
  await hosts.dispose()
  await expect(hosts.connect('lab1')).rejects.toMatchObject({ code: 'interrupted' })
})
