import type { FeedOf } from '../../../shared/contract/changes.ts'
import type { AttachedSweep } from '../../../shared/contract/engine-process.ts'
import type { SweepChange, SweepView } from '../../../shared/contract/sweeps.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { isRunOver, type RunState } from '../../../shared/model/states.ts'
import type { SweepHandle } from '../../sweep/types.ts'
import type { Engine } from '../types.ts'
import { createEmitter } from './feed/emitter.ts'
import { createSweepTracker, type SweepTracker } from './sweep-tracker.ts'

const POLL_MS = 1000
/** Between two tries to reach a driver that is watched and can't be reached. */
const ATTACH_AGAIN_MS = 30_000
/** Nothing that time heals: the person has to do something first. */
const HOPELESS = new Set<string>(['auth', 'host_key_changed', 'host_key_unknown', 'unknown_host', 'not_found'])

export interface EndedSweep {
  runId: string
  name: string
  state: RunState
  reason?: string
}

export interface SweepTrackers {
  attach: (handle: SweepHandle) => void
  handle: (runId: string) => SweepHandle | undefined
  attached: () => AttachedSweep[]
  watch: (runId: string, signal: AbortSignal) => FeedOf<SweepView, SweepChange>
  /** Name or state of a run were changed here. */
  touch: (runId: string) => void
  /** Drivers that could not be reached are looked for at the next turn. */
  lookAgain: () => void
  /** The row of a run in a list may be another one now. */
  onRowChange: (listener: (runId: string) => void) => () => void
  onAttachedChange: (listener: () => void) => () => void
  onEnded: (listener: (ended: EndedSweep) => void) => () => void
  dispose: () => void
}

interface Entry {
  tracker: SweepTracker
  handle?: SweepHandle
  poll?: NodeJS.Timeout
  attaching?: boolean
  attachAgainAtMs: number
}

type Deps = Pick<Engine, 'store' | 'sweeps'> & { now: () => number; pollMs?: number }

/** Runs that are attached or watched, each tracked once however many screens show it. */
export function createSweepTrackers(deps: Deps): SweepTrackers {
  const { store, sweeps } = deps
  const { runs } = store
  const entries = new Map<string, Entry>()
  const rows = createEmitter<string>()
  const attachedChanges = createEmitter<undefined>()
  const ends = createEmitter<EndedSweep>()
  let disposed = false

  function entryOf(runId: string): Entry {
    const known = entries.get(runId)
    if (known !== undefined) return known
    const tracker = createSweepTracker({
      store,
      runId,
      link: notAttached(runId),
      onRowChange: () => {
        rows.emit(runId)
        if (entries.get(runId)?.handle !== undefined) attachedChanges.emit(undefined)
      },
    })
    const entry: Entry = { tracker, attachAgainAtMs: 0 }
    entries.set(runId, entry)
    return entry
  }
  function notAttached(runId: string): { link: 'not_attached'; linkReason?: string } {
    const holder = runs.leaseHolder(runId)
    if (holder === undefined) return { link: 'not_attached' }
    return {
      link: 'not_attached',
      linkReason: `watched by another Speedgrid, process ${String(holder.pid)} on ${holder.hostName}`,
    }
  }
  function drop(runId: string): void {
    const entry = entries.get(runId)
    if (entry === undefined || entry.handle !== undefined || entry.tracker.watchers > 0) return
    clearInterval(entry.poll)
    entry.tracker.dispose()
    entries.delete(runId)
  }

  function attach(handle: SweepHandle): void {
    const { runId } = handle
    const entry = entryOf(runId)
    if (entry.handle === handle) return
    clearInterval(entry.poll)
    delete entry.poll
    entry.handle = handle
    entry.tracker.attach(handle)
    attachedChanges.emit(undefined)
    void handle.finished.then(
      (outcome) => {
        if (entry.handle !== handle || disposed) return
        delete entry.handle
        const gone = outcome.state === 'interrupted'
        const reason = outcome.reason === undefined || isRunOver(outcome.state) ? {} : { linkReason: outcome.reason }
        const error = outcome.error === undefined ? {} : { error: outcome.error }
        entry.tracker.reseed({ link: gone ? 'driver_gone' : 'not_attached', ...reason }, error)
        attachedChanges.emit(undefined)
        if (isRunOver(outcome.state) || gone) {
          const { name } = entry.tracker.snapshot()
          const why = outcome.reason === undefined ? {} : { reason: outcome.reason }
          ends.emit({ runId, name, state: outcome.state, ...why })
        }
        if (entry.tracker.watchers > 0) startPolling(runId, entry)
        else drop(runId)
      },
      () => undefined,
    )
  }

  function startPolling(runId: string, entry: Entry): void {
    if (entry.poll !== undefined || entry.handle !== undefined) return
    entry.poll = setInterval(() => poll(runId, entry), deps.pollMs ?? POLL_MS)
    poll(runId, entry)
  }
  function poll(runId: string, entry: Entry): void {
    if (disposed || entry.handle !== undefined) return
    try {
      entry.tracker.poll()
      const { state } = entry.tracker.snapshot()
      if (isRunOver(state) || state === 'interrupted' || entry.attaching === true) return
      if (runs.leaseHolder(runId) !== undefined) entry.tracker.setLink(notAttached(runId))
      else void attachDriver(runId, entry)
    } catch {
      // A store that can't be read now: the view stays as it is, and the next turn tries again.
    }
  }
  /**
   * A driver on a host runs on while nobody watches; whoever looks at its run reads on. What one beside an engine left when that was
   * killed is taken in. Nothing is started.
   */
  async function attachDriver(runId: string, entry: Entry): Promise<void> {
    if (deps.now() < entry.attachAgainAtMs) return
    entry.attaching = true
    entry.attachAgainAtMs = deps.now() + ATTACH_AGAIN_MS
    entry.tracker.setLink({ link: 'not_attached', linkReason: 'looking for its driver …' })
    try {
      attach(await sweeps.resume(runId, { attachOnly: true }))
    } catch (error) {
      if (disposed) return
      const known = error instanceof SpeedgridError
      if (!known || HOPELESS.has(error.code)) entry.attachAgainAtMs = Number.POSITIVE_INFINITY
      entry.tracker.reseed({ link: 'not_attached', linkReason: known ? error.message : 'its driver could not be looked for' })
    } finally {
      entry.attaching = false
    }
  }

  void sweeps.settleOrphans().then(
    (settled) => {
      if (!disposed) for (const id of settled) rows.emit(id)
    },
    () => undefined,
  )

  async function* watch(runId: string, signal: AbortSignal) {
    const { id } = runs.find(runId)
    const entry = entryOf(id)
    const left = () => setImmediate(() => drop(id))
    signal.addEventListener('abort', left, { once: true })
    try {
      const feed = entry.tracker.feed(signal)
      const first = await feed.next()
      if (first.done === true) return
      // Looking again is asking again.
      if (entry.handle === undefined) {
        entry.attachAgainAtMs = 0
        startPolling(id, entry)
      }
      yield first.value
      yield* feed
    } finally {
      signal.removeEventListener('abort', left)
      setImmediate(() => drop(id))
    }
  }

  return {
    attach,
    handle: (runId) => entries.get(runId)?.handle,
    attached: () =>
      [...entries].flatMap(([runId, { tracker, handle }]) => {
        if (handle === undefined) return []
        const { name, state } = tracker.snapshot()
        return [{ runId, name, state, needsThisMachine: handle.place !== 'host' }]
      }),
    watch,
    touch(runId) {
      const entry = entries.get(runId)
      entry?.tracker.poll()
      rows.emit(runId)
    },
    lookAgain() {
      for (const entry of entries.values()) entry.attachAgainAtMs = 0
    },
    onRowChange: (listener) => rows.on(listener),
    onAttachedChange: (listener) => attachedChanges.on(listener),
    onEnded: (listener) => ends.on(listener),
    dispose() {
      disposed = true
      for (const entry of entries.values()) {
        clearInterval(entry.poll)
        entry.tracker.dispose()
      }
      entries.clear()
    },
  }
}
