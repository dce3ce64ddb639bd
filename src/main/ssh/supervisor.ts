import { SpeedgridError } from '../../shared/model/error.ts'
import type { Connection } from './connect.ts'
import type { LinkState } from './types.ts'

export interface ReconnectLimits {
  firstDelayMs: number
  maxDelayMs: number
  giveUpMs: number
}

export interface Clock {
  nowMs(): number
  /** Resolves after that time, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface Supervisor {
  /** The connection; waits for a reconnect. Throws link_lost once that has given up, interrupted when the signal aborts. */
  connection(signal?: AbortSignal): Promise<Connection>
  /** The connection where it is up now. */
  current(): Connection | undefined
  onStateChange(listener: (state: LinkState) => void): () => void
  isClosed(): boolean
  dispose(): void
}

const LIMITS: ReconnectLimits = { firstDelayMs: 500, maxDelayMs: 30_000, giveUpMs: 600_000 }
/** More could lock an account. */
const MAX_REFUSALS = 3
const HOPELESS = new Set(['host_key_changed', 'host_key_unknown', 'usage', 'internal'])

/** Keeps one connection to a host up: back-off 0.5 s … 30 s, gives up after ten minutes or at what waiting can't cure. */
export function createSupervisor(deps: {
  hostName: string
  first: Connection
  open: () => Promise<Connection>
  limits?: Partial<ReconnectLimits> | undefined
  clock?: Clock | undefined
}): Supervisor {
  const limits = { ...LIMITS, ...deps.limits }
  const clock = deps.clock ?? systemClock
  const listeners = new Set<(state: LinkState) => void>()
  const ending = new AbortController()
  let waiters: { resolve(connection: Connection): void; reject(error: unknown): void }[] = []
  let current: Connection | undefined
  let closedWith: SpeedgridError | undefined

  const announce = (state: LinkState) => {
    for (const listener of listeners) listener(state)
  }
  const settle = (act: (waiter: (typeof waiters)[number]) => void) => {
    const settled = waiters
    waiters = []
    settled.forEach(act)
  }
  const close = (error: SpeedgridError) => {
    if (closedWith) return
    closedWith = error
    settle((waiter) => waiter.reject(error))
    announce({ state: 'closed', reason: error.message })
  }
  const adopt = (connection: Connection) => {
    current = connection
    connection.onClose((reason) => {
      if (current !== connection || closedWith) return
      current = undefined
      void reconnect(reason)
    })
  }
  const reconnect = async (reason: string): Promise<void> => {
    announce({ state: 'reconnecting', reason })
    const startedMs = clock.nowMs()
    let delayMs = limits.firstDelayMs
    let refusals = 0
    for (;;) {
      await clock.sleep(delayMs, ending.signal)
      if (closedWith) return
      try {
        const connection = await deps.open()
        if (closedWith) return connection.close()
        adopt(connection)
        // Gone again already: another round has taken over.
        if (current !== connection) return
        announce({ state: 'connected' })
        return settle((waiter) => waiter.resolve(connection))
      } catch (error) {
        const known = error instanceof SpeedgridError ? error : undefined
        if (known?.code === 'auth') refusals++
        const isHopeless = known === undefined || HOPELESS.has(known.code) || refusals >= MAX_REFUSALS
        if (isHopeless || clock.nowMs() - startedMs >= limits.giveUpMs) return close(lost(deps.hostName, reason, error))
        delayMs = Math.min(delayMs * 2, limits.maxDelayMs)
      }
    }
  }

  adopt(deps.first)
  return {
    connection(signal) {
      if (closedWith) return Promise.reject(closedWith)
      if (signal?.aborted) return Promise.reject(interrupted())
      if (current) return Promise.resolve(current)
      return new Promise((resolve, reject) => {
        const stop = () => reject(interrupted())
        signal?.addEventListener('abort', stop, { once: true })
        const done = () => signal?.removeEventListener('abort', stop)
        waiters.push({ resolve: (value) => (done(), resolve(value)), reject: (error) => (done(), reject(error)) })
      })
    },
    current: () => (closedWith ? undefined : current),
    onStateChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    isClosed: () => closedWith !== undefined,
    dispose() {
      close(new SpeedgridError('link_lost', `The connection to ${deps.hostName} was closed.`))
      ending.abort()
      current?.close()
      current = undefined
      listeners.clear()
    },
  }
}

/** The connection broke before the command had been sent: it can be sent again without running twice. */
export class NeverSent extends SpeedgridError {}

/** What a call gets whose connection broke under it. */
export function linkLost(hostName: string, reason: string): SpeedgridError {
  return new SpeedgridError('link_lost', `The connection to ${hostName} broke.`, {
    evidence: [reason],
    nextStep: 'It is being opened again; repeat what you did.',
  })
}

export function interrupted(): SpeedgridError {
  return new SpeedgridError('interrupted', 'Stopped.')
}

function lost(hostName: string, reason: string, error: unknown): SpeedgridError {
  const last = error instanceof SpeedgridError ? [error.message, ...error.evidence] : [String(error)]
  return new SpeedgridError('link_lost', `The connection to ${hostName} broke and could not be opened again.`, {
    evidence: [`first: ${reason}`, ...last.map((line) => `last try: ${line}`)],
    nextStep:
      (error instanceof SpeedgridError && error.nextStep) || `Check the host and the network, then: speedgrid doctor ${hostName}`,
    from: error,
  })
}

const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done, { once: true })
      function done() {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
    }),
}
