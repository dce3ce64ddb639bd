import type { EngineApi } from '../../../shared/contract/api.ts'
import type { AttachedSweep } from '../../../shared/contract/engine-process.ts'
import type { StartDemoHost } from '../demo/types.ts'
import type { Engine } from '../types.ts'
import { createAppApi } from './app.ts'
import { createDemoManager } from './demo.ts'
import { createHostsApi } from './hosts.ts'
import { createLaunchManager } from './launches/launch-manager.ts'
import { createSavedLaunches } from './launches/saved-launches.ts'
import type { Prompts } from './prompts.ts'
import { createReportsApi } from './reports.ts'
import { createRunsApi } from './runs.ts'
import { createRunsFeed } from './runs-feed.ts'
import { createServersApi } from './servers.ts'
import { createSweepTrackers, type EndedSweep } from './sweep-trackers.ts'
import { createSweepsApi } from './sweeps.ts'
import { createVouchedPaths } from './vouched-paths.ts'

interface ApiDeps {
  engine: Engine
  /** The engine asks through their prompter. */
  prompts: Prompts
  version: string
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
  homeDir: string
  startDemoHost: StartDemoHost
  mayWriteFiles: boolean
  reportUnexpected: (error: unknown, where: string) => string
  now?: () => number
}

/** The contract over an engine, and what a front door wants to know besides. */
export interface RunningApi {
  api: EngineApi
  attached: () => AttachedSweep[]
  onAttachedChange: (listener: () => void) => () => void
  /** The machine woke up, or the person asks: drivers that could not be reached are looked for at once. */
  lookAgain: () => void
  onEnded: (listener: (ended: EndedSweep) => void) => () => void
  /** The person chose this file in a save dialog: a report may be written to it, once. */
  vouch: (path: string) => void
  /** Ends what the contract itself has started (launches on their way, the demo machine). The engine is ended by its owner afterwards. */
  dispose: () => Promise<void>
}

export function createApi(deps: ApiDeps): RunningApi {
  const { engine, prompts, reportUnexpected } = deps
  const { store } = engine
  const now = deps.now ?? Date.now
  const hosts = createHostsApi({ ...engine, now })
  const trackers = createSweepTrackers({ ...engine, now })
  const runsFeed = createRunsFeed({ store })
  const launches = createLaunchManager({
    servers: engine.servers,
    now,
    reportUnexpected,
    onReady: (host) => {
      void engine.servers.list(host).then(
        (servers) => hosts.sawServers(host, servers.filter(({ state }) => state === 'ready' || state === 'starting').length),
        () => undefined,
      )
    },
  })
  const demo = createDemoManager({
    engine,
    startDemoHost: deps.startDemoHost,
    platform: deps.platform,
    onHosts: hosts.refresh,
    stopSweeps: async (host) => {
      const there = trackers.attached().filter(({ runId }) => store.runs.find(runId).host === host)
      await Promise.all(
        there.map(async ({ runId }) => {
          const handle = trackers.handle(runId)
          await handle?.control({ kind: 'stop' })
          await handle?.finished
        }),
      )
    },
  })
  const vouched = createVouchedPaths()
  const stopRows = trackers.onRowChange(runsFeed.touchLater)

  const api: EngineApi = {
    app: createAppApi({
      engine,
      demo,
      version: deps.version,
      platform: deps.platform,
      env: deps.env,
      homeDir: deps.homeDir,
      hostViews: hosts.views,
      now,
    }),
    hosts: hosts.api,
    prompts: prompts.api,
    servers: createServersApi({
      engine,
      launches,
      saved: createSavedLaunches({ store: store.launches, now }),
      sawServers: hosts.sawServers,
    }),
    sweeps: createSweepsApi({ engine, trackers, onStarted: (runId) => runsFeed.touch([runId]) }),
    runs: createRunsApi({ store, feed: runsFeed, onChanged: trackers.touch }),
    reports: createReportsApi({
      store,
      platform: deps.platform,
      env: deps.env,
      vouched: deps.mayWriteFiles ? vouched : undefined,
    }),
  }

  async function endAll(): Promise<void> {
    prompts.dispose()
    await Promise.allSettled([launches.dispose(), demo.dispose()])
    stopRows()
    trackers.dispose()
    runsFeed.dispose()
    hosts.dispose()
  }
  let ending: Promise<void> | undefined
  return {
    api,
    attached: trackers.attached,
    onAttachedChange: trackers.onAttachedChange,
    lookAgain: trackers.lookAgain,
    onEnded: trackers.onEnded,
    vouch: vouched.vouch,
    dispose: () => (ending ??= endAll()),
  }
}
