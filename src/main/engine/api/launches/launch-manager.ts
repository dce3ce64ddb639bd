import { randomUUID } from 'node:crypto'
import { type CommandText, startableCommand, withRedacted } from '../../../../shared/command/index.ts'
import type { LaunchView } from '../../../../shared/contract/servers.ts'
import type { FeedOf } from '../../../../shared/contract/changes.ts'
import { homeAsVariable } from '../../../../shared/format/index.ts'
import { redactCommand } from '../../../../shared/secrets/index.ts'
import { type ErrorInfo, SpeedgridError } from '../../../../shared/model/error.ts'
import type { LaunchEvent, ServersService } from '../../../servers/types.ts'
import { createEmitter, type Emitter } from '../feed/emitter.ts'
import { latest } from '../feed/feed.ts'

/** Launches that are over are remembered for pages that come back, this many of them. */
const KEPT = 50
/** A bar says more often than anybody reads how far it is. */
const TICK_MS = 1000

interface LaunchInput extends CommandText {
  host: string
  environment?: string
  name?: string
}

export interface LaunchManager {
  launch: (input: LaunchInput) => { launchId: string }
  /** Ends what was started; the launch becomes `cancelled`. Nothing happens to one that is over. */
  cancel: (launchId: string) => void
  /** Newest first. */
  list: () => LaunchView[]
  watch: (launchId: string, signal: AbortSignal) => FeedOf<LaunchView, LaunchView>
  /** Cancels what is on its way, and waits for it. */
  dispose: () => Promise<void>
}

interface Launch {
  view: LaunchView
  startedAtMs: number
  controller: AbortController
  changes: Emitter<LaunchView>
  done: Promise<void>
}

interface Deps {
  servers: Pick<ServersService, 'launch'>
  now: () => number
  reportUnexpected: (error: unknown, where: string) => string
  /** A server is ready. */
  onReady: (host: string) => void
}

/** Launches go on while pages come and go; what they said so far is kept in memory. */
export function createLaunchManager(deps: Deps): LaunchManager {
  const launches = new Map<string, Launch>()

  function get(launchId: string): Launch {
    const launch = launches.get(launchId)
    if (launch !== undefined) return launch
    throw new SpeedgridError('not_found', 'That launch is not known to this engine.', {
      nextStep: 'Look at the servers of the host: it may have become ready, or it ended with the engine that started it.',
    })
  }
  function change(launch: Launch, part: Partial<LaunchView>): void {
    const seconds = (deps.now() - launch.startedAtMs) / 1000
    launch.view = { ...launch.view, seconds, ...part }
    launch.changes.emit(launch.view)
  }

  async function run(launch: Launch, input: LaunchInput): Promise<void> {
    // Log lines come thick; the page reads them by `log`.
    const onEvent = (event: LaunchEvent) => {
      if (event.kind === 'started') change(launch, { server: event.server })
      else if (event.kind === 'phase') change(launch, { phases: withPhase(launch.view.phases, event) })
    }
    const { host, text, secrets, environment, name } = input
    try {
      const outcome = await deps.servers.launch(
        {
          host,
          text,
          secrets,
          ...(environment === undefined ? {} : { environment }),
          ...(name === undefined || name === '' ? {} : { name }),
          signal: launch.controller.signal,
        },
        onEvent,
      )
      const { state, server, seconds, known, error } = outcome
      change(launch, { state, server, seconds, known, ...(error === undefined ? {} : { error }) })
      if (state === 'ready') deps.onReady(host)
    } catch (error) {
      const cancelled = launch.controller.signal.aborted && error instanceof SpeedgridError && error.code === 'interrupted'
      change(launch, { state: cancelled ? 'cancelled' : 'failed', ...(cancelled ? {} : { error: explain(error) }) })
    }
  }
  function explain(error: unknown): ErrorInfo {
    if (error instanceof SpeedgridError) return error.toInfo()
    const id = deps.reportUnexpected(error, 'servers.launch')
    return { code: 'internal', cause: 'Something unexpected went wrong while launching.', evidence: [`error id ${id}`] }
  }

  return {
    launch(input) {
      startableCommand(input)
      const launchId = randomUUID()
      const startedAtMs = deps.now()
      const launch: Launch = {
        view: {
          launchId,
          host: input.host,
          command: homeAsVariable(redactCommand(withRedacted(input.text, input.secrets))),
          state: 'starting',
          startedAt: new Date(startedAtMs).toISOString(),
          seconds: 0,
          phases: [],
        },
        startedAtMs,
        controller: new AbortController(),
        changes: createEmitter(),
        done: Promise.resolve(),
      }
      launches.set(launchId, launch)
      const ticking = setInterval(() => change(launch, {}), TICK_MS)
      launch.done = run(launch, input).finally(() => clearInterval(ticking))
      forgetOldest(launches)
      return { launchId }
    },
    cancel(launchId) {
      get(launchId).controller.abort()
    },
    list: () => [...launches.values()].map((launch) => launch.view).reverse(),
    watch(launchId, signal) {
      const launch = get(launchId)
      return latest({ snapshot: () => launch.view, onChange: (listener) => launch.changes.on(listener) }, signal)
    },
    async dispose() {
      for (const launch of launches.values()) launch.controller.abort()
      await Promise.all([...launches.values()].map((launch) => launch.done))
    },
  }
}

/** One entry a phase: a bar that goes on replaces what it said before. */
function withPhase(phases: LaunchView['phases'], event: Extract<LaunchEvent, { kind: 'phase' }>): LaunchView['phases'] {
  const { phase, atSeconds, detail, progress } = event
  const next = { phase, atSeconds, ...(detail === undefined ? {} : { detail }), ...(progress === undefined ? {} : { progress }) }
  const last = phases.at(-1)
  return last?.phase === phase ? [...phases.slice(0, -1), { ...next, atSeconds: last.atSeconds }] : [...phases, next]
}

function forgetOldest(launches: Map<string, Launch>): void {
  for (const [id, { view }] of launches) {
    if (launches.size <= KEPT) return
    if (view.state !== 'starting') launches.delete(id)
  }
}
