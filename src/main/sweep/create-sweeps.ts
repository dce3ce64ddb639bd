import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { clockOffText } from '../../shared/format/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import { isRunOver } from '../../shared/model/states.ts'
import type { Server } from '../../shared/model/server.ts'
import { redactCommand, redactWords } from '../../shared/secrets/index.ts'
import type { HostsService } from '../hosts/types.ts'
import type { ServersService } from '../servers/types.ts'
import type { Store } from '../store/index.ts'
import type { NodeBinaries } from './bring-node.ts'
import { dryRun } from './dry-run.ts'
import { NO_PROGRESS, readProgress } from './make-job.ts'
import { patiently } from './patience.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import { type ResolvedTarget, resolveTarget } from './resolve-target.ts'
import { resumeRun } from './resume-run.ts'
import type { RunningDriver } from './running-driver.ts'
import { settleOrphans } from './settle-orphans.ts'
import { type DriverStarter, locateDriver, startDriver } from './start-driver.ts'
import type { SweepHandle, SweepRequest, SweepService, SweepTarget } from './types.ts'
import { type WatchTiming, watchRun } from './watch-run.ts'

export interface SweepDeps {
  store: Store
  hosts: HostsService
  servers: ServersService
  /** The driver bundle on this machine. */
  driverPath: string
  nodeBinaries?: NodeBinaries
  dataDir: string
  clock?: { now(): number }
  /** Shorter in tests. */
  timing?: Partial<WatchTiming>
}

export function createSweeps(deps: SweepDeps): SweepService {
  const { store, hosts } = deps
  const { runs } = store
  const starter: DriverStarter = {
    hosts,
    servers: deps.servers,
    driverPath: deps.driverPath,
    dataDir: deps.dataDir,
    historyIdentity: () => patiently(() => store.identity()),
  }
  const open = new Set<SweepHandle>()
  const now = () => deps.clock?.now() ?? Date.now()

  function watch(options: Omit<Parameters<typeof watchRun>[0], 'store' | 'onClosed'>): SweepHandle {
    const handle: SweepHandle = watchRun({ ...options, store, timing: deps.timing, onClosed: () => open.delete(handle) })
    open.add(handle)
    return handle
  }

  async function resolve(target: SweepTarget, plan: SweepRequest['plan'], apiKey: string | undefined): Promise<ResolvedTarget> {
    const resolved = await resolveTarget(deps, target, plan, apiKey)
    const remote = resolved.host
    const place = remote && { name: remote.host.name, link: await hosts.connect(remote.host.name), base: remote.base }
    await removeLeftovers({ store, hosts, dataDir: deps.dataDir }, place)
    return resolved
  }

  /** Starts the driver of an epoch and watches it. The caller holds the lease. */
  async function startEpoch(
    runId: string,
    target: ResolvedTarget,
    plan: SweepRequest['plan'],
    epoch: number,
  ): Promise<SweepHandle> {
    const location = locateDriver(deps.dataDir, runId, target, epoch)
    await patiently(() => runs.setLocation(runId, location))
    const progress = epoch === 1 ? NO_PROGRESS : readProgress(runs, runId)
    const driver = await startDriver(starter, location, { runId, epoch, plan, target, progress })
    const { note } = target.placement
    if (note !== undefined) await patiently(() => runs.addEvent(runId, 'info', note))
    const clockNote = await clockNoteOf(target, driver)
    if (clockNote !== undefined && epoch === 1) await patiently(() => runs.addEvent(runId, 'warn', clockNote))
    const notes = [note, clockNote].filter((text) => text !== undefined)
    return watch({
      runId,
      epoch,
      driver,
      ...(notes.length === 0 ? {} : { placeNote: notes.join('. ') }),
      apiKey: target.apiKey,
    })
  }

  async function start(request: SweepRequest): Promise<SweepHandle> {
    const target = await resolve(request.target, request.plan, request.apiKey)
    const id = randomBytes(5).toString('hex')
    const remote = target.host
    const run = {
      id,
      name: request.name ?? defaultName(target, now()),
      tags: request.tags ?? [],
      plan: request.plan,
      host: remote && { name: remote.host.name, address: remote.host.address },
      hardware: remote?.inventory,
      ...commandsOf(remote?.server),
      demo: remote?.host.demo ?? false,
    }
    await patiently(() => runs.create(run))
    try {
      await patiently(() => runs.takeLease(id))
      return await startEpoch(id, target, request.plan, 1)
    } catch (error) {
      // No driver ever ran: a run without a single line is nothing to keep.
      await patiently(() => runs.discard(id))
      throw error
    }
  }

  async function resume(runId: string, options: { apiKey?: string; attachOnly?: boolean } = {}): Promise<SweepHandle> {
    const run = runs.find(runId)
    if (isRunOver(run.state)) {
      throw new SpeedgridError('conflict', `Run ${run.id} is ${run.state}: there is nothing to resume`, {
        evidence: [`${String(run.cellsDone)} of ${String(run.cellsTotal)} cells were done`],
        nextStep: `Measure again with its plan: speedgrid sweep --like ${run.id}`,
      })
    }
    const watched = [...open].find((handle) => handle.runId === run.id)
    if (watched !== undefined) return watched
    await takeLeaseOrSay(run.id)
    try {
      return await resumeRun({ store, hosts, watch, resolve, startEpoch }, run.id, options)
    } catch (error) {
      await patiently(() => runs.releaseLease(run.id))
      throw error
    }
  }

  async function takeLeaseOrSay(id: string): Promise<void> {
    if (await patiently(() => runs.takeLease(id))) return
    const holder = runs.leaseHolder(id)
    const who = holder === undefined ? 'another engine' : `process ${String(holder.pid)} on ${holder.hostName}`
    throw new SpeedgridError('conflict', `Run ${id} is being watched by ${who}`, {
      evidence: holder === undefined ? [] : [`last heard of at ${holder.heartbeatAt}; this is ${hostname()}`],
      nextStep: 'End that one first, or watch the run there.',
    })
  }

  return {
    dryRun: async (request) => dryRun(starter, await resolve(request.target, request.plan, request.apiKey), request.plan),
    start,
    resume,
    settleOrphans: () => settleOrphans({ store, hosts }),
    document: (runId) => runs.document(runs.find(runId).id),
    dispose: async () => {
      await Promise.allSettled([...open].map((handle) => handle.detach()))
    },
  }
}

/** Where the host can't be asked now, whoever reads the spool asks again. */
async function clockNoteOf(target: ResolvedTarget, driver: RunningDriver): Promise<string | undefined> {
  const aheadMs = await driver.clockAheadMs().catch(() => 0)
  const off = clockOffText(target.host?.host.name ?? '', aheadMs)
  return off === undefined ? undefined : `${off}; times are shown in ours`
}

/** What was measured and when; minutes, so that a list reads well. */
function defaultName(target: ResolvedTarget, nowMs: number): string {
  const what = target.known.servedModel ?? target.host?.server.name ?? target.host?.host.name ?? new URL(target.baseUrl).host
  return `${what} ${new Date(nowMs).toISOString().slice(0, 16).replace('T', ' ')}`
}

/** As the state file on the host has them: an older version, or somebody else's hand, may have left a secret in it. */
function commandsOf(server: Server | undefined): { launchCommand: string | undefined; startedArgv: string[] | undefined } {
  return {
    launchCommand: server?.launchCommand === undefined ? undefined : redactCommand(server.launchCommand),
    startedArgv: server?.startedArgv === undefined ? undefined : redactWords(server.startedArgv),
  }
}
