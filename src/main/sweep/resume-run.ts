import { SpeedgridError } from '../../shared/model/error.ts'
import type { Plan } from '../../shared/model/plan.ts'
import { isRunOver } from '../../shared/model/states.ts'
import type { HostsService } from '../hosts/types.ts'
import type { DriverLocation, Store } from '../store/index.ts'
import { tidyAfterDriver, waitUntilGone } from './end-driver.ts'
import type { ResolvedTarget } from './resolve-target.ts'
import { attachDriver, type RunningDriver } from './running-driver.ts'
import { createLossNote } from './loss-note.ts'
import { patiently } from './patience.ts'
import { createSpoolTail } from './spool-tail.ts'
import { storeLines } from './store-lines.ts'
import type { SweepHandle, SweepTarget } from './types.ts'

const ORPHAN_LIMIT_MS = 20_000

interface ResumeParts {
  store: Store
  hosts: HostsService
  watch: (options: { runId: string; epoch: number; driver: RunningDriver; placeNote?: string; apiKey?: string }) => SweepHandle
  resolve: (target: SweepTarget, plan: Plan, apiKey: string | undefined) => Promise<ResolvedTarget>
  startEpoch: (runId: string, target: ResolvedTarget, plan: Plan, epoch: number) => Promise<SweepHandle>
}

/** Reads on from a living driver, or reads what a dead one left and starts another for what is missing. The caller holds the lease. */
export async function resumeRun(
  parts: ResumeParts,
  runId: string,
  { apiKey, attachOnly = false }: { apiKey?: string; attachOnly?: boolean },
): Promise<SweepHandle> {
  const { store, hosts, watch } = parts
  const { runs } = store
  const location = runs.location(runId)
  if (location === undefined) {
    throw new SpeedgridError('not_found', `It is not known where the driver of run ${runId} was`, {
      nextStep: `Measure again with its plan: speedgrid sweep --like ${runId}`,
    })
  }
  const driver = attachDriver(location, (name) => hosts.connect(name))
  if ((await driver.look()).alive) {
    if (location.place === 'host') return watch({ runId, epoch: location.epoch, driver, apiKey })
    if (attachOnly) throw cannotAttach(runId, 'its driver runs beside an engine that is ending')
    await endOrphan(driver)
  }
  await takeInRest(store, runId, location.epoch, driver)
  const { state } = runs.find(runId)
  if (isRunOver(state)) return await endedHandle(store, runId, location.place)
  if (state !== 'interrupted') {
    await patiently(() => runs.setState(runId, 'interrupted', 'The driver ended without finishing the run'))
  }
  if (attachOnly) throw cannotAttach(runId, 'its driver has ended')
  const { plan, engine } = runs.document(runId)
  const note = (text: string) => runs.addEvent(runId, 'info', text)
  const target = await resolveAgain(parts.resolve, location, { ...plan, driver: location.place }, apiKey, note)
  // One run is about one model, whatever else the server of today serves first.
  const model = plan.model ?? engine?.servedModel
  return await parts.startEpoch(runId, target, { ...plan, ...(model === undefined ? {} : { model }) }, location.epoch + 1)
}

/** The server of before; where that one has died and was started anew it has another id: the only one that runs there. */
async function resolveAgain(
  resolve: ResumeParts['resolve'],
  location: DriverLocation,
  plan: Plan,
  apiKey: string | undefined,
  note: (text: string) => void,
): Promise<ResolvedTarget> {
  const target = targetOf(location)
  try {
    return await resolve(target, plan, apiKey)
  } catch (error) {
    const isGone = error instanceof SpeedgridError && (error.code === 'server_gone' || error.code === 'not_found')
    if (target.kind !== 'server' || target.server === undefined || !isGone) throw error
    const next = await resolve({ kind: 'server', host: target.host }, plan, apiKey).catch(() => {
      throw error
    })
    note(`goes on with server ${next.host?.server.id ?? ''}: ${target.server} isn't running any more`)
    return next
  }
}

function cannotAttach(runId: string, why: string): SpeedgridError {
  return new SpeedgridError('interrupted', `Run ${runId} is interrupted: ${why}`, {
    nextStep: `Go on with what is missing: speedgrid resume ${runId}`,
  })
}

function targetOf(location: DriverLocation): SweepTarget {
  if (location.host !== undefined) return { kind: 'server', host: location.host, server: location.serverId }
  return { kind: 'url', url: location.baseUrl ?? '' }
}

/** A driver beside an engine that died has seen its standard input end and is ending; it is told so as well. */
async function endOrphan(driver: RunningDriver): Promise<void> {
  await driver.folder.append('control.jsonl', `${JSON.stringify({ kind: 'interrupt' })}\n`)
  if (await waitUntilGone(driver, ORPHAN_LIMIT_MS)) return
  await driver.terminate('KILL')
  await waitUntilGone(driver, ORPHAN_LIMIT_MS)
}

/** Of a driver that has ended: what it had still said is stored, and its folder goes. */
export async function takeInRest(store: Store, runId: string, epoch: number, driver: RunningDriver): Promise<void> {
  await readRest(store, runId, epoch, driver)
  await tidyAfterDriver(store.runs, runId, driver)
}

async function readRest(store: Store, runId: string, epoch: number, driver: RunningDriver): Promise<void> {
  const tail = createSpoolTail({
    folder: driver.folder,
    clockAheadMs: () => driver.clockAheadMs(),
    runId,
    epoch,
    afterLine: store.runs.lastLine(runId),
  })
  const noteLoss = createLossNote()
  for (let more = true; more; ) {
    const chunk = await tail.next()
    for (const { level, text } of noteLoss(chunk)) await patiently(() => store.runs.addEvent(runId, level, text))
    await storeLines(store.runs, runId, chunk.lines, { patience: { limitMs: () => 60_000 }, onStored: () => undefined })
    more = chunk.more
  }
}

/** The driver had finished while nobody watched: all that was missing is stored now. */
async function endedHandle(store: Store, runId: string, place: DriverLocation['place']): Promise<SweepHandle> {
  const { runs } = store
  const { state } = runs.find(runId)
  const { reason } = runs.document(runId)
  const end = [...runs.lines(runId)].findLast((line) => line.kind === 'end')
  await patiently(() => runs.releaseLease(runId))
  return {
    runId,
    place,
    onLine: (listener, options = {}) => {
      for (const line of runs.lines(runId, options.afterLine)) listener(line)
      return () => undefined
    },
    onLink: (listener) => {
      listener({ state: 'reading' })
      return () => undefined
    },
    finished: Promise.resolve({ state, reason, error: end?.error }),
    control: () => Promise.reject(new SpeedgridError('conflict', `Run ${runId} is ${state}`)),
    detach: () => Promise.resolve(),
  }
}
