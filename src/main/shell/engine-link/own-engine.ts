import { type FromEngine, fromEngineSchema } from '../../../shared/contract/engine-process.ts'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import type { EngineLife } from '../bridge/envelope.ts'
import { createBackOff } from './back-off.ts'
import type { EngineChild, StartEngineChild } from './engine-child.ts'
import type { EngineLink, OwnEngineEvents } from './engine-link.ts'
import { createWatchdog } from './watchdog.ts'

/** The shell's own connection, for signs of life; pages have numbers from 1. */
const SIGN_OF_LIFE = 0
/** The engine ends in good order in at most 20 s (src/main/engine/README.md). */
const END_LIMIT_MS = 22_000
/** An engine that can't start is tried again at this pace: what stands in its way (a full disk) has to be cleared first. */
const FAILED_RETRY_MS = 10_000
const KEPT_COMPLAINTS = 4000
/** So many starts in a row that ended before the engine was ready, without a reason of its own, are told. */
const TELL_AFTER = 3

export interface OwnEngine extends EngineLink {
  readonly dataDir: string | undefined
  resumed(): void
  /** The person chose this file in a save dialog. */
  vouch(path: string): void
}

/** Our engine's process: started, watched, started again when it dies or hangs, ended with the app. */
export function createOwnEngine({ start, events }: { start: StartEngineChild; events: OwnEngineEvents }): OwnEngine {
  const backOff = createBackOff()
  let state: EngineLife = 'down'
  let dataDir: string | undefined
  let current: { child: EngineChild; stop(): void } | undefined
  let restart: NodeJS.Timeout | undefined
  let ending: (() => void) | undefined
  let unready = 0

  const become = (next: EngineLife) => {
    if (state === next) return
    state = next
    events.state(next)
  }

  function run() {
    const startedAt = Date.now()
    let complaints = ''
    let failure: ErrorInfo | undefined
    let watchdog: ReturnType<typeof createWatchdog> | undefined
    const take = (message: FromEngine) => {
      watchdog?.heard()
      if ('connection' in message) {
        if (message.connection === SIGN_OF_LIFE) return
        if ('close' in message) events.closed(message.connection)
        else events.data(message.connection, message.data)
        return
      }
      if (message.kind === 'ready') {
        dataDir = message.dataDir
        unready = 0
        child.send({ connection: SIGN_OF_LIFE, open: true })
        watchdog = createWatchdog({
          ask: () => child.send({ connection: SIGN_OF_LIFE, data: 'PING' }),
          onSilence: () => {
            complaints += '\nIt did not answer any more and was ended.'
            child.kill()
          },
        })
        become('up')
      } else if (message.kind === 'failed') failure = message.error
      else if (message.kind === 'sweeps') events.sweeps(message.sweeps)
      else events.ended(message)
    }
    const exited = (how: string) => {
      watchdog?.dispose()
      current = undefined
      events.sweeps([])
      if (ending !== undefined) {
        become('down')
        ending()
        return
      }
      const livedMs = Date.now() - startedAt
      if (watchdog === undefined) unready += 1
      const told = failure ?? (unready >= TELL_AFTER ? neverReady(how, complaints) : undefined)
      become(told === undefined ? 'restarting' : 'down')
      if (told !== undefined) events.failed(told)
      restart = setTimeout(run, failure === undefined ? backOff.next(livedMs) : FAILED_RETRY_MS)
    }
    const child = start({
      message: (message) => {
        const known = fromEngineSchema.safeParse(message)
        if (known.success) take(known.data)
      },
      complaint: (text) => {
        complaints = (complaints + text).slice(-KEPT_COMPLAINTS)
      },
      exit: exited,
    })
    current = { child, stop: () => watchdog?.dispose() }
  }
  run()

  return {
    get state() {
      return state
    },
    get dataDir() {
      return dataDir
    },
    open: (connection) => current?.child.send({ connection, open: true }),
    send: (connection, data) => current?.child.send({ connection, data }),
    close: (connection) => current?.child.send({ connection, close: true }),
    resumed: () => current?.child.send({ kind: 'resumed' }),
    vouch: (path) => current?.child.send({ kind: 'chosen', path }),
    dispose: () => {
      clearTimeout(restart)
      const last = current
      if (last === undefined) return Promise.resolve()
      last.stop()
      return new Promise((resolve) => {
        const late = setTimeout(() => last.child.kill(), END_LIMIT_MS)
        ending = () => {
          clearTimeout(late)
          resolve()
        }
        last.child.send({ kind: 'shutdown' })
      })
    },
  }
}

function neverReady(how: string, complaints: string): ErrorInfo {
  const said = complaints.trim().split('\n').slice(-8).filter(Boolean)
  return {
    code: 'internal',
    cause: `The engine's process ended before it was ready (${how}).`,
    evidence: said,
    nextStep: 'It is tried again by itself. If it keeps ending, start “speedgrid hosts” in a terminal: it says what is wrong.',
  }
}
