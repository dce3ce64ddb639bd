import type { AppApi, AppInfo } from '../../../shared/contract/app.ts'
import type { HostView } from '../../../shared/contract/hosts.ts'
import { findChromium } from '../../reports/index.ts'
import type { Engine } from '../types.ts'
import type { DemoManager } from './demo.ts'
import { diagnosticsOf } from './diagnostics.ts'
import { keptOnHost, removeKeptOnHost } from './kept-on-host.ts'
import { changeSettings, readSettings } from './settings.ts'

interface Deps {
  engine: Engine
  demo: DemoManager
  version: string
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
  homeDir: string
  hostViews: () => HostView[]
  now: () => number
}

export function createAppApi(deps: Deps): AppApi {
  const { engine, demo } = deps
  const { store } = engine

  async function info(): Promise<AppInfo> {
    const chromium = await findChromium(deps)
    return {
      version: deps.version,
      nodeVersion: process.versions.node,
      dataDir: store.dataDir,
      platform: deps.platform,
      ...(chromium === undefined ? {} : { chromium }),
    }
  }
  return {
    info,
    settings: async () => readSettings(store.settings),
    changeSettings: async (input) => changeSettings(store.settings, input),
    knownHosts: async () => engine.ssh.recordedKeys(),
    removeKnownHost: async ({ line }) => engine.ssh.forgetKey(line),
    keptOnHost: ({ name }) => keptOnHost(engine, name),
    removeKeptOnHost: ({ name, path }) => removeKeptOnHost(engine, name, path),
    diagnostics: async () =>
      diagnosticsOf({
        info: await info(),
        settings: readSettings(store.settings),
        hosts: deps.hostViews(),
        engine,
        nowMs: deps.now(),
        homeDir: deps.homeDir,
      }),
    startDemo: ({ machine }) => demo.start(machine),
    stopDemo: () => demo.stop(),
    watchDemo: (signal) => demo.watch(signal),
  }
}
