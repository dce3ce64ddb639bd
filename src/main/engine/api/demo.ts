import type { DemoView } from '../../../shared/contract/app.ts'
import type { FeedOf } from '../../../shared/contract/changes.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import {
  addDemoHost,
  type DemoHostProcess,
  endRunsOf,
  removeDeadDemoHosts,
  removeDemoHost,
  type StartDemoHost,
} from '../demo/index.ts'
import type { Engine } from '../types.ts'
import { quoteArgv } from '../../../shared/command/index.ts'
import { createEmitter } from './feed/emitter.ts'
import { latest } from './feed/feed.ts'

/** A sweep on the machine gets this long to say goodbye. */
const STOP_SWEEP_MS = 5000

export interface DemoManager {
  start: (machine: string) => Promise<DemoView>
  stop: () => Promise<void>
  watch: (signal: AbortSignal) => FeedOf<DemoView, DemoView>
  dispose: () => Promise<void>
}

interface Deps {
  engine: Pick<Engine, 'hosts' | 'store' | 'ssh'>
  startDemoHost: StartDemoHost
  platform: NodeJS.Platform
  /** The host list has changed. */
  onHosts: () => void
  /** Stops what is measured on the host; resolves when it has ended. */
  stopSweeps: (host: string) => Promise<void>
}

interface Running {
  machine: string
  host: string
  process: DemoHostProcess
}

/** The demo lab machine as a child of this engine: it goes when the engine goes, and takes its host entry along. */
export function createDemoManager(deps: Deps): DemoManager {
  const { engine } = deps
  const changes = createEmitter<DemoView>()
  const supported = deps.platform === 'linux'
  let view: DemoView = supported
    ? { state: 'off' }
    : { state: 'unsupported', reason: 'The demo lab machine needs Linux: it shows what a Linux lab machine does.' }
  let running: Running | undefined
  // One start or stop at a time, in the order asked for.
  let queue: Promise<unknown> = Promise.resolve()

  function show(next: DemoView): DemoView {
    view = next
    changes.emit(view)
    return view
  }
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = queue.then(work)
    queue = turn.catch(() => undefined)
    return turn
  }

  async function start(machine: string): Promise<DemoView> {
    if (!supported) return view
    if (running?.machine === machine) return view
    if (running !== undefined) await stop()
    show({ state: 'starting', machine })
    try {
      const process = await deps.startDemoHost({ machine })
      const host = await addDemoHost(engine, process.ready).catch(async (error: unknown) => {
        await process.dispose()
        throw error
      })
      const mine: Running = { machine, host, process }
      running = mine
      void process.exited.then((said) => {
        if (running === mine) goneByItself(mine, said)
      })
      deps.onHosts()
      return show({ state: 'ready', machine, host, command: quoteArgv(process.ready.launchWords) })
    } catch (error) {
      return show({ state: 'failed', machine, reason: error instanceof SpeedgridError ? sentence(error) : String(error) })
    }
  }
  function goneByItself({ machine, host }: Running, said: string): void {
    running = undefined
    forget(host)
    show({ state: 'failed', machine, reason: said === '' ? 'The demo lab machine ended by itself.' : said })
  }
  function forget(host: string): void {
    try {
      removeDemoHost(engine, host)
      endRunsOf(engine, host)
    } catch {
      // A store that can't be written now: the next start takes the entry away.
    }
    deps.onHosts()
  }
  async function stop(): Promise<void> {
    if (running === undefined) return
    const { host, process } = running
    running = undefined
    await withLimit(deps.stopSweeps(host), STOP_SWEEP_MS)
    await process.dispose()
    forget(host)
    show({ state: 'off' })
  }

  void removeDeadDemoHosts(engine).then(deps.onHosts, () => undefined)
  return {
    start: (machine) => inTurn(() => start(machine)),
    stop: () => inTurn(stop),
    watch: (signal) => latest({ snapshot: () => view, onChange: (listener) => changes.on(listener) }, signal),
    dispose: () => inTurn(stop),
  }
}

const sentence = ({ message, evidence }: SpeedgridError) => [message, ...evidence].join(' ')

async function withLimit(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([work.catch(() => undefined), limit])
  clearTimeout(timer)
}
