import type { SpeedgridError } from '../../../shared/model/error.ts'
import { SpeedgridError as DomainError } from '../../../shared/model/error.ts'
import { type Host, hostSchema, type Inventory } from '../../../shared/model/host.ts'
import type { Server } from '../../../shared/model/server.ts'
import type { SpoolEntry, SpoolLine } from '../../../shared/model/spool.ts'
import type { RunState } from '../../../shared/model/states.ts'
import type { Engine } from '../../engine/types.ts'
import { createConnectionStates } from '../../hosts/index.ts'
import type { DoctorCheck, HostsService } from '../../hosts/types.ts'
import type { LaunchOutcome, LaunchRequest, ServersService, StopReport } from '../../servers/types.ts'
import type { HostLink, Prompter } from '../../ssh/types.ts'
import { createStore } from '../../store/index.ts'
import type { DryRun, SweepHandle, SweepRequest, SweepService } from '../../sweep/types.ts'
import { numbered } from './spool-entries.ts'

export type SweepControl = Parameters<SweepHandle['control']>[0]

/** What the machines of a test do; every test sets what it needs. */
export interface FakeWorld {
  hostKey?: Awaited<ReturnType<HostsService['readHostKey']>>
  /** What is seen once the first one is trusted. */
  hostKeyBehind?: Awaited<ReturnType<HostsService['readHostKey']>>
  trusted: { name: string; fingerprint: string }[]
  /** To a host that is looked at for real. */
  link?: HostLink
  checks: DoctorCheck[]
  inventory?: Inventory
  servers: Server[]
  launch?: (request: LaunchRequest) => Promise<LaunchOutcome>
  launched: LaunchRequest[]
  stopReport: StopReport
  stopped: string[]
  log: string
  /** Lines of the run that is started; the run ends with `end` unless it is `held` for a control. */
  script: (runId: string) => SpoolEntry[]
  held: boolean
  end: { state: RunState; reason?: string; error?: SpeedgridError }
  startError?: Error
  dryRun?: DryRun
  requests: SweepRequest[]
  controls: SweepControl[]
  place: SweepHandle['place']
  disposed: number
  onControl?: (control: SweepControl) => void
}

export function fakeWorld(): FakeWorld {
  return {
    trusted: [],
    checks: [],
    servers: [],
    launched: [],
    stopReport: { stopped: true, signalled: [], left: [], portFree: true, seconds: 2, notes: [] },
    stopped: [],
    log: '',
    script: () => [],
    held: false,
    end: { state: 'finished' },
    requests: [],
    controls: [],
    place: 'host',
    disposed: 0,
  }
}

/** The services as the world says, over a real history in `dataDir`. */
export function createFakeEngine(world: FakeWorld, options: { dataDir: string; prompter: Prompter }): Engine {
  const store = createStore({ dataDir: options.dataDir })
  const hosts = fakeHosts(world, store.hosts)
  const servers = fakeServers(world)
  return {
    store,
    hosts,
    servers,
    sweeps: fakeSweeps(world, store),
    connections: createConnectionStates(),
    ssh: { configAliases: () => [], recordedKeys: () => [], forgetKey: () => undefined },
    async dispose() {
      world.disposed += 1
      store.dispose()
      return Promise.resolve()
    },
  }
}

function fakeHosts(world: FakeWorld, store: ReturnType<typeof createStore>['hosts']): HostsService {
  const get = (name: string): Host => {
    const host = store.list().find((candidate) => candidate.name === name)
    if (!host) throw new DomainError('unknown_host', `There is no host "${name}".`, { nextStep: 'speedgrid hosts list' })
    return host
  }
  return {
    list: () => store.list(),
    get,
    add(name, target, addOptions) {
      const [, user, address, port] = /^(?:(.+)@)?([^:]+)(?::(\d+))?$/.exec(target) ?? []
      const host = hostSchema.parse({
        name,
        address,
        ...(user && { user }),
        ...(port && { port: Number(port) }),
        ...(addOptions?.identityFile && { identityFile: addOptions.identityFile }),
        demo: addOptions?.demo ?? false,
        addedAt: '2026-03-01T10:00:00.000Z',
      })
      store.save(host)
      return host
    },
    remove: (name) => store.remove(name),
    async readHostKey(name) {
      get(name)
      const key = world.hostKey
      if (!key) throw new DomainError('unreachable', 'Nobody answers.')
      const keys = world.hostKeyBehind ? [key, world.hostKeyBehind] : [key]
      const isTrusted = (fingerprint: string) => world.trusted.some((each) => each.fingerprint === fingerprint)
      const shown = keys.find((each) => each.state === 'revoked' || !isTrusted(each.fingerprint))
      return Promise.resolve(shown ?? { ...(keys.at(-1) ?? key), state: 'known' as const })
    },
    async trust(name, fingerprint) {
      world.trusted.push({ name, fingerprint })
      return Promise.resolve()
    },
    connect: () => (world.link ? Promise.resolve(world.link) : Promise.reject(new Error('not in this test'))),
    async doctor(name, onCheck) {
      get(name)
      for (const check of world.checks) onCheck?.(check)
      return Promise.resolve(world.checks)
    },
    async inventory(name) {
      get(name)
      if (!world.inventory) throw new DomainError('unreachable', 'Nobody answers.')
      return Promise.resolve(world.inventory)
    },
    dispose: () => Promise.resolve(),
  }
}

function fakeServers(world: FakeWorld): ServersService {
  const status = (server: Server) => ({ server, state: 'ready' as const, evidence: 'health answers', health: 'ok' as const })
  return {
    async launch(request, onEvent) {
      world.launched.push(request)
      onEvent?.({ kind: 'phase', phase: 'loading_weights', atSeconds: 1.5, detail: '3 of 3 shards' })
      if (!world.launch) throw new Error('not in this test')
      return world.launch(request)
    },
    list: (host) => Promise.resolve(world.servers.filter((server) => server.host === host).map(status)),
    async find(host, idOrName) {
      const found = world.servers.find(
        (server) => server.host === host && (!idOrName || server.id === idOrName || server.name === idOrName),
      )
      if (!found) throw new DomainError('not_found', `There is no server "${idOrName}" on ${host}.`)
      return Promise.resolve(status(found))
    },
    async log(_host, _id, onChunk, options) {
      onChunk(world.log)
      if (options?.follow) await new Promise<void>((resolve) => options.signal?.addEventListener('abort', () => resolve()))
    },
    async stop(_host, id) {
      world.stopped.push(id)
      return Promise.resolve(world.stopReport)
    },
    adopt: (host, port) =>
      Promise.resolve({ id: 'adopted-1', host, port, adopted: true, hasApiKey: false, startedAt: '2026-03-01T10:00:00.000Z' }),
    apiKey: () => Promise.resolve(undefined),
    confirmListener: () => Promise.resolve(),
    known: () => Promise.resolve({}),
    dispose: () => Promise.resolve(),
  }
}

function fakeSweeps(world: FakeWorld, store: ReturnType<typeof createStore>): SweepService {
  const handleOf = (runId: string): SweepHandle => {
    const lines = numbered(world.script(runId))
    store.runs.appendLines(runId, lines)
    const listeners = new Set<(line: SpoolLine) => void>()
    let finish: (end: Awaited<SweepHandle['finished']>) => void = () => {}
    const finished = new Promise<Awaited<SweepHandle['finished']>>((resolve) => {
      finish = resolve
    })
    const end = (state: RunState) => {
      store.runs.setState(runId, state, world.end.reason)
      finish({
        state,
        ...(world.end.reason && { reason: world.end.reason }),
        ...(world.end.error && { error: world.end.error.toInfo() }),
      })
    }
    if (!world.held) setTimeout(() => end(world.end.state), 5)
    return {
      runId,
      place: world.place,
      onLine(listener) {
        listeners.add(listener)
        for (const line of lines) listener(line)
        return () => void listeners.delete(listener)
      },
      onLink: () => () => {},
      finished,
      async control(control) {
        world.controls.push(control)
        world.onControl?.(control)
        if (control.kind === 'interrupt') end('interrupted')
        if (control.kind === 'stop') end('stopped')
        return Promise.resolve()
      },
      detach: () => Promise.resolve(),
    }
  }
  return {
    async dryRun(request) {
      world.requests.push(request)
      if (!world.dryRun) throw new Error('not in this test')
      return Promise.resolve(world.dryRun)
    },
    async start(request) {
      world.requests.push(request)
      if (world.startError) throw world.startError
      const id = `run-${store.runs.list().length + 1}`
      store.runs.create({
        id,
        name: request.name ?? 'unnamed',
        tags: request.tags ?? [],
        plan: request.plan,
        host: { name: 'lab' },
        demo: false,
      })
      return Promise.resolve(handleOf(id))
    },
    resume: (runId) => Promise.resolve(handleOf(runId)),
    settleOrphans: () => Promise.resolve([]),
    document: (runId) => store.runs.document(runId),
    dispose: () => Promise.resolve(),
  }
}
