import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalLink } from './local-link.ts'
import type { EngineFacts } from '../src/shared/model/engine-facts.ts'
import { SpeedgridError } from '../src/shared/model/error.ts'
import type { Host, Inventory } from '../src/shared/model/host.ts'
import { type PlanInput, planSchema } from '../src/shared/model/plan.ts'
import type { Server } from '../src/shared/model/server.ts'
import type { HostsService } from '../src/main/hosts/types.ts'
import type { ServersService } from '../src/main/servers/types.ts'
import type { HostLink } from '../src/main/ssh/types.ts'
import { createStore, type Store } from '../src/main/store/index.ts'
import { createSweeps, type SweepDeps } from '../src/main/sweep/index.ts'
import type { SweepRequest } from '../src/main/sweep/types.ts'

export const API_KEY = 'sk-very-secret-key-0815'

export interface LabOptions {
  /** Home folder of the host's account, shared with another lab. */
  homeDir?: string
  dataDir?: string
  /** Environment of what runs on the host, beside its PATH. */
  env?: Record<string, string>
  inventory?: Partial<Inventory>
  /** The way to the host, in place of one that is no way at all; whoever opened it ends it. */
  link?: HostLink
  /** Puts something between the sweeps and the link. */
  wrapLink?: (link: HostLink) => HostLink
  /** Puts something between the sweeps and the store. */
  wrapStore?: (store: Store) => Store
  nodeBinaries?: SweepDeps['nodeBinaries']
  driverPath?: string
  port?: number
  /** What is known of the server beforehand, and its key. */
  known?: Partial<EngineFacts>
}

/** Sweeps over a real store, with a host that is this machine. Hosts and servers are the few answers that sweeps ask them for. */
export async function createLab(options: LabOptions = {}) {
  // Nothing to make where both folders are another lab's: nobody removes it when this process is killed.
  const borrowed = options.homeDir !== undefined && options.dataDir !== undefined
  const root = borrowed ? join(options.dataDir ?? '', '..') : mkdtempSync(join(tmpdir(), 'speedgrid-sweep-'))
  const homeDir = options.homeDir ?? mkdtempSync(join(root, 'home-'))
  const dataDir = options.dataDir ?? join(root, 'data')
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', ...options.env }
  const own = options.link === undefined ? await createLocalLink({ homeDir, env, hostName: 'lab' }) : undefined
  const plain = options.link ?? own
  if (plain === undefined) throw new Error('no link')
  const link = options.wrapLink?.(plain) ?? plain
  const store = createStore({ dataDir })
  const servers = fakeServers(options.port ?? 9, options.known)
  const sweeps = createSweeps({
    store: options.wrapStore?.(store) ?? store,
    hosts: fakeHosts(link, options.inventory),
    servers: servers.service,
    driverPath: options.driverPath ?? join(import.meta.dirname, 'fake-driver.mjs'),
    nodeBinaries: options.nodeBinaries,
    dataDir,
    timing: { pollMs: 40, ackMs: 100, silenceMs: 600, slowReadMs: 300, quietMs: 500 },
  })
  return {
    root,
    homeDir,
    dataDir,
    link,
    store,
    sweeps,
    /** The server died and was launched again. */
    launchedAgainAs: servers.launchedAgainAs,
    /** Run folders that are left on the host and on this machine. */
    leftFolders: () =>
      [join(homeDir, '.cache/speedgrid/runs'), join(dataDir, 'runs')].flatMap((path) =>
        existsSync(path) ? readdirSync(path) : [],
      ),
    dispose: async () => {
      await sweeps.dispose()
      store.dispose()
      await own?.dispose()
      if (!borrowed) rmSync(root, { recursive: true, force: true })
    },
  }
}
export type Lab = Awaited<ReturnType<typeof createLab>>

export function hostRequest(plan: Partial<PlanInput> = {}, change: Partial<SweepRequest> = {}): SweepRequest {
  const small: PlanInput = { contexts: [0, 2048], concurrency: [1, 4], seconds: 1, settleSeconds: 0.02 }
  return { target: { kind: 'server', host: 'lab' }, plan: planSchema.parse({ ...small, ...plan }), ...change }
}

function fakeHosts(link: HostLink, change: Partial<Inventory> = {}): HostsService {
  const host: Host = { name: 'lab', address: '10.0.0.7', demo: false, addedAt: '2026-03-01T10:00:00.000Z' }
  const inventory: Inventory = {
    hostName: 'lab',
    os: 'Linux',
    arch: process.arch === 'arm64' ? 'aarch64' : 'x86_64',
    gpus: [],
    environments: [],
    node: { path: process.execPath, version: process.version },
    ...change,
  }
  return {
    list: () => [host],
    get: (name) => {
      if (name === 'lab') return host
      throw new SpeedgridError('unknown_host', `There is no host ${name}`)
    },
    connect: () => Promise.resolve(link),
    inventory: () => Promise.resolve(inventory),
    dispose: () => Promise.resolve(),
    ...notAsked(['add', 'remove', 'readHostKey', 'trust', 'doctor']),
  }
}

function fakeServers(
  port: number,
  known: Partial<EngineFacts> = { kvTokens: 4096, kvTokensSource: 'startup_log' },
): { service: ServersService; launchedAgainAs: (id: string) => void } {
  const server: Server = {
    id: 'serv-1',
    host: 'lab',
    port,
    launchCommand: 'CUDA_VISIBLE_DEVICES=1 vllm serve fake',
    adopted: false,
    hasApiKey: true,
    startedAt: '2026-03-01T10:00:00.000Z',
  }
  const service: ServersService = {
    list: () => Promise.resolve([{ server, state: 'ready', evidence: 'as told' }]),
    find: (_host, id = server.id) =>
      Promise.resolve({ server: { ...server, id }, state: id === server.id ? 'ready' : 'gone', evidence: 'as told' }),
    apiKey: () => Promise.resolve(API_KEY),
    confirmListener: () => Promise.resolve(),
    known: () => Promise.resolve(known),
    dispose: () => Promise.resolve(),
    ...notAsked(['launch', 'log', 'stop', 'adopt']),
  }
  return { service, launchedAgainAs: (id) => void (server.id = id) }
}

function notAsked<Name extends string>(names: Name[]): Record<Name, () => never> {
  const entries = names.map((name) => {
    const fail = () => {
      throw new Error(`nobody should ask for ${name}`)
    }
    return [name, fail]
  })
  return Object.fromEntries(entries) as Record<Name, () => never>
}
