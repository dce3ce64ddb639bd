import { mkdirSync } from 'node:fs'
import type { RouterContext } from '../../shared/contract/trpc.ts'
import { createApi, createPrompts, type RunningApi } from './api/index.ts'
import { createEngine } from './create-engine.ts'
import type { StartDemoHost } from './demo/types.ts'
import { logFailure } from './log/index.ts'

export interface StartOptions {
  dataDir: string
  version: string
  driverPath: string
  nodeBinaries?: { x64?: string; arm64?: string }
  startDemoHost: StartDemoHost
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
  /** Home folder whose .ssh is read; the person's. */
  homeDir: string
  /** True where a shell lets the person choose paths in a dialog, and says which (`vouch`). */
  mayWriteFiles: boolean
}

/** An engine with the contract on top: what stands behind the page and the window. */
export interface RunningEngine extends Omit<RunningApi, 'dispose'> {
  dataDir: string
  reportUnexpected: RouterContext['reportUnexpected']
  dispose: () => Promise<void>
}

/** Throws where the data folder can't be used. */
export function startEngine(options: StartOptions): RunningEngine {
  const { dataDir } = options
  const reportUnexpected = (error: unknown, path: string | undefined) => logFailure(dataDir, error, path ?? 'engine').id
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const prompts = createPrompts()
  const engine = createEngine({
    dataDir,
    homeDir: options.homeDir,
    prompter: prompts.prompter,
    driverPath: options.driverPath,
    ...(options.nodeBinaries === undefined ? {} : { nodeBinaries: options.nodeBinaries }),
  })
  const running = createApi({ ...options, engine, prompts, reportUnexpected })

  async function endAll(): Promise<void> {
    try {
      await running.dispose()
    } finally {
      await engine.dispose()
    }
  }
  let ending: Promise<void> | undefined
  return { ...running, dataDir, reportUnexpected, dispose: () => (ending ??= endAll()) }
}
