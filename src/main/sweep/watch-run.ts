import { setTimeout as delay } from 'node:timers/promises'
import { type ErrorInfo, SpeedgridError } from '../../shared/model/error.ts'
import { fileLimit, isFileLimit } from '../../shared/model/file-limit.ts'
import type { Control } from '../../shared/model/job.ts'
import { createRedactor } from '../../shared/secrets/index.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import { isRunOver, type RunState } from '../../shared/model/states.ts'
import { isHistoryLocked, type Store } from '../store/index.ts'
import { tidyAfterDriver } from './end-driver.ts'
import { createLossNote } from './loss-note.ts'
import { type Patience, patiently, withPatience } from './patience.ts'
import { createRunListeners, type LinkState } from './run-listeners.ts'
import { readLogTail, type RunningDriver } from './running-driver.ts'
import { createSpoolTail } from './spool-tail.ts'
import { storeLines } from './store-lines.ts'
import type { SweepHandle } from './types.ts'

const LEASE_MS = 5000
const RETRY_MS = [500, 1000, 2000, 5000, 10_000]
/** Letting go doesn't wait for a link that is down. */
const DETACH_LIMIT_MS = 2000
/** The same for a history that is locked while we let go. */
const LEAVE_LOCKED_MS = 5000
/** How long an interrupted driver beside us may take to write its end. */
const INTERRUPT_LIMIT_MS = 20_000
/** Nothing that time heals: the person has to do something first. */
const HOPELESS = new Set<string>(['auth', 'conflict', 'host_key_changed', 'host_key_unknown', 'unknown_host'])

export interface WatchTiming {
  /** Between two looks at the spool. */
  pollMs: number
  /** Between two acks. */
  ackMs: number
  /** The driver beats each second; silent for this long, its process is looked at. */
  silenceMs: number
  /** A read that takes longer waits for a link to come back. */
  slowReadMs: number
  /** A driver that lives and has said nothing for this long is said to be silent; three times as long before its first beat. */
  quietMs: number
  /** How long another process may have the history locked; the driver measures on, and its spool keeps what it says. */
  lockedMs: number
}
const WATCH_TIMING: WatchTiming = {
  pollMs: 300,
  ackMs: 2000,
  silenceMs: 5000,
  slowReadMs: 2000,
  quietMs: 10_000,
  lockedMs: 600_000,
}

interface WatchOptions {
  store: Store
  runId: string
  /** Which driver of the run it is. */
  epoch: number
  driver: RunningDriver
  placeNote?: string
  apiKey?: string
  timing?: Partial<WatchTiming>
  onClosed?: () => void
}

type Outcome = Awaited<SweepHandle['finished']>

/** Reads a driver's spool into the store until it ends, and lets its owner control it. The caller holds the run's lease. */
export function watchRun(options: WatchOptions): SweepHandle {
  const { store, runId, epoch, driver } = options
  const { runs } = store
  const timing = { ...WATCH_TIMING, ...options.timing }
  const tail = createSpoolTail({
    folder: driver.folder,
    clockAheadMs: () => driver.clockAheadMs(),
    runId,
    epoch,
    afterLine: runs.lastLine(runId),
  })
  const redactor = createRedactor(options.apiKey === undefined ? [] : [options.apiKey])
  const listeners = createRunListeners(runs, runId)
  const noteLoss = createLossNote()
  const wake = new AbortController()
  let end: Extract<SpoolLine, { kind: 'end' }> | undefined
  let writing: Promise<void> = Promise.resolve()
  let acked = 0
  let ackedAt = 0
  let lost = false
  let grewAt = Date.now()
  let reading: LinkState = { state: 'reading' }
  let saidFull = false
  /** When the driver was last heard of, and whether its beats have begun. */
  let heardAt = Date.now()
  let beating = false
  let leaving = false
  const patience: Patience = {
    limitMs: () => (leaving || wake.signal.aborted ? LEAVE_LOCKED_MS : timing.lockedMs),
    onLocked: () => tellLink({ state: 'history_down', reason: 'it is locked by another process' }),
    onFree: (lockedMs) => {
      tellLink({ state: 'reading' })
      const text = `The history was locked by another process for ${String(Math.round(lockedMs / 1000))} s; measuring went on meanwhile`
      void patiently(() => runs.addEvent(runId, 'warn', text)).catch(() => undefined)
    },
  }
  const withHistory = <Result>(work: () => Result) => withPatience(patience, work)

  /** Appends in the order asked for; a failed one doesn't stop the next. */
  function write(control: Control): Promise<void> {
    const next = writing.catch(() => undefined).then(() => driver.folder.append('control.jsonl', `${JSON.stringify(control)}\n`))
    writing = next
    next.catch(() => undefined)
    return next
  }

  async function ack(now: boolean): Promise<void> {
    const last = runs.lastLine(runId)
    if (last === acked || (!now && Date.now() - ackedAt < timing.ackMs)) return
    await write({ kind: 'ack', n: last })
    acked = last
    ackedAt = Date.now()
  }

  /** What is true of our reading, unless the driver's own way to the server is down. */
  function tellLink(state: LinkState): void {
    reading = state
    const { way } = driver
    const isCut = way !== undefined && way.state.state !== 'up' && state.state === 'reading'
    listeners.link(isCut ? { state: 'link_down', reason: way.state.reason } : state)
  }
  const stopWay = driver.way?.onStateChange(() => tellLink(reading))

  /** Work over the link that doesn't answer in time is said to wait for it. */
  async function inTime<Value>(work: Promise<Value>): Promise<Value> {
    const slow = () => tellLink({ state: 'link_down', reason: 'no answer from the host' })
    const timer = driver.place === 'host' ? setTimeout(slow, timing.slowReadMs) : undefined
    return await work.finally(() => clearTimeout(timer))
  }

  /** Everything that is there now. Throws what reading throws; a StoreFailure where storing failed. */
  async function readAll(): Promise<void> {
    for (;;) {
      const chunk = await inTime(tail.next())
      // An older driver, or one that somebody else wrote to, has not done it.
      const lines = chunk.lines.map((line) => redactor.value(line))
      if (wake.signal.aborted) return
      // One that was silent is heard again only when it says something.
      if (chunk.lines.length > 0 || reading.state !== 'driver_silent') tellLink({ state: 'reading' })
      try {
        for (const { level, text } of noteLoss(chunk)) await withHistory(() => runs.addEvent(runId, level, text))
        await storeLines(runs, runId, lines, { patience, onStored: listeners.lines })
      } catch (error) {
        throw new StoreFailure(error)
      }
      end = lines.findLast((line) => line.kind === 'end') ?? end
      if (lines.length > 0) heardAt = Date.now()
      beating ||= lines.some((line) => line.kind === 'beat')
      if (!chunk.more) return
      grewAt = Date.now()
    }
  }

  /** Our own limit is not the link's fault. */
  function sayFull(thrown: unknown): void {
    if (saidFull) return
    saidFull = true
    const text = fileLimit(thrown, "what the driver says can't be read now, and is read later").message
    void patiently(() => runs.addEvent(runId, 'warn', text)).catch(() => undefined)
  }

  // By a timer of its own: a read that waits for a link to come back may take longer than a lease lasts.
  const leasing = setInterval(() => {
    try {
      lost = !runs.takeLease(runId)
    } catch {
      // A store that can't be written is noticed where lines are stored.
    }
  }, LEASE_MS)

  /** One round. True when there is nothing more to come. */
  async function round(): Promise<boolean> {
    await readAll()
    if (wake.signal.aborted) return false
    if (end !== undefined) return true
    if (lost) throw new StoreFailure(takenOver())
    await inTime(ack(false))
    if (Date.now() - grewAt < timing.silenceMs) return false
    const { alive, evidence } = await inTime(driver.look())
    if (alive) {
      grewAt = Date.now()
      const quietMs = Date.now() - heardAt
      if (quietMs >= timing.quietMs * (beating ? 1 : 3)) {
        const reason = `nothing for ${String(Math.round(quietMs / 1000))} s, and ${evidence}`
        tellLink({ state: 'driver_silent', reason })
      }
      return false
    }
    // What it wrote between our last look at the spool and its death.
    await readAll()
    // A read that was broken off has not seen everything: the folder must stay.
    return !wake.signal.aborted
  }

  async function loop(): Promise<Outcome> {
    let failures = 0
    while (!wake.signal.aborted) {
      try {
        if (await round()) return await conclude().catch(failStore)
        failures = 0
        await pause(timing.pollMs, wake.signal)
      } catch (error) {
        if (wake.signal.aborted) break
        if (error instanceof StoreFailure) return await giveUp(error.cause, true)
        if (error instanceof SpeedgridError && HOPELESS.has(error.code)) return await giveUp(error, false)
        if (isFileLimit(error)) sayFull(error)
        else tellLink({ state: 'link_down', reason: error instanceof Error ? error.message : String(error) })
        await pause(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? timing.pollMs, wake.signal)
      }
    }
    return leftRunning()
  }

  function leftRunning(): Outcome {
    return { state: readState(), reason: 'no longer watched from here; the driver runs on' }
  }

  async function conclude(): Promise<Outcome> {
    if (end !== undefined) {
      await ack(true).catch(() => undefined)
      await tidyAfterDriver(runs, runId, driver)
      return endedAs(end)
    }
    if (!(await withHistory(() => runs.takeLease(runId)))) throw new StoreFailure(takenOver())
    const evidence = await readLogTail(driver.folder, options.apiKey).catch(() => [])
    const reason = 'The driver ended without finishing the run'
    const error: ErrorInfo = {
      code: driver.place === 'host' ? 'remote' : 'internal',
      cause: reason,
      evidence,
      nextStep: goOn(runId),
    }
    await withHistory(() => runs.setState(runId, 'interrupted', reason))
    for (const line of evidence) await withHistory(() => runs.addEvent(runId, 'error', `driver: ${line}`))
    tellLink({ state: 'driver_gone', reason })
    await tidyAfterDriver(runs, runId, driver)
    return { state: 'interrupted', reason, error }
  }

  /** What the history makes of the end: a driver that has finished while cells are missing here leaves an interrupted run. */
  function endedAs({ reason, error, state: said }: Extract<SpoolLine, { kind: 'end' }>): Outcome {
    const { state } = runs.find(runId)
    if (state === said) return { state, reason: reason ?? error?.cause, error }
    const cause = runs.document(runId).reason ?? `The driver said ${said}`
    return { state, reason: cause, error: { code: 'remote', cause, evidence: [], nextStep: goOn(runId) } }
  }

  /** The driver on a host runs on and can be attached again; one beside us has no one else. */
  async function giveUp(cause: unknown, isStore: boolean): Promise<Outcome> {
    const error = cause instanceof SpeedgridError ? cause : new SpeedgridError('internal', String(cause), { from: cause })
    // One that belongs to another engine now is neither.
    const isTaken = isStore && error.code === 'conflict' && !isHistoryLocked(error)
    if (!isTaken) tellLink({ state: isStore ? 'history_down' : 'link_down', reason: error.message })
    if (driver.place === 'host') return { state: readState(), reason: error.message, error: error.toInfo() }
    await driver.terminate('TERM').catch(() => undefined)
    await driver.release().catch(() => undefined)
    const state = readState()
    // What it still says is taken in by whoever opens the history next.
    return { state: isRunOver(state) ? state : 'interrupted', reason: error.message, error: error.toInfo() }
  }

  function readState(): RunState {
    try {
      return runs.find(runId).state
    } catch {
      return 'interrupted'
    }
  }

  const left = new Promise<Outcome>((resolve) => {
    wake.signal.addEventListener('abort', () => setTimeout(() => resolve(leftRunning()), DETACH_LIMIT_MS).unref(), { once: true })
  })
  async function follow(): Promise<Outcome> {
    try {
      return await Promise.race([loop(), left])
    } finally {
      clearInterval(leasing)
      stopWay?.()
      // A store that can't be written now: the lease ends with this process, or runs out by itself.
      await patiently(() => runs.releaseLease(runId), LEAVE_LOCKED_MS).catch(() => undefined)
      options.onClosed?.()
    }
  }
  const finished = follow()
  finished.catch(() => undefined)

  async function detach(): Promise<void> {
    leaving = true
    if (driver.place === 'host') {
      wake.abort()
    } else {
      await write({ kind: 'interrupt' }).catch(() => undefined)
      const limit = setTimeout(() => void driver.terminate('KILL').catch(() => undefined), INTERRUPT_LIMIT_MS)
      await finished.finally(() => clearTimeout(limit))
    }
    await finished
  }

  return {
    runId,
    place: driver.place,
    placeNote: options.placeNote,
    onLine: listeners.onLine,
    onLink: listeners.onLink,
    finished,
    control: write,
    detach,
  }
}

const goOn = (runId: string) => `Go on with: speedgrid resume ${runId}`
const takenOver = () => new SpeedgridError('conflict', 'Another engine has taken over this run')

/** The store's own failure, told apart from those of the way to the driver. */
class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('storing failed', { cause })
  }
}

function failStore(error: unknown): never {
  throw new StoreFailure(error)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}
