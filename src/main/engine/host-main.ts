// The entry of out/main/engine-host.js: the engine as the window's own process. The protocol is in README.md.
import { homedir } from 'node:os'
import { endConnectionOf } from '../ssh/index.ts'
import type { FromEngine } from '../../shared/contract/engine-process.ts'
import { type ErrorInfo, SpeedgridError } from '../../shared/model/error.ts'
import { bundleOf } from './bundle/index.ts'
import { dataFolder } from './data-folder/index.ts'
import { spawnDemoHost } from './demo/index.ts'
import { endOnBug, logFailure } from './log/index.ts'
import { type RunningEngine, startEngine } from './start-engine.ts'
import { findProcessWire, type ProcessWire } from './wire/process-wire.ts'
import { serveMessages } from './wire/serve-messages.ts'

/** Sweeps beside the engine are interrupted and stored; whatever hangs is left after this long. */
const END_LIMIT_MS = 20_000

const where = { env: process.env, cwd: process.cwd(), homeDir: homedir(), platform: process.platform }

function dataDirOf(words: string[]): string {
  const at = words.indexOf('--data-dir')
  return dataFolder(where, at < 0 ? undefined : words[at + 1])
}

function explain(error: unknown, dataDir: string): ErrorInfo {
  if (error instanceof SpeedgridError) return error.toInfo()
  const { id, path } = logFailure(dataDir, error, 'engine-host')
  return {
    code: 'internal',
    cause: `The engine could not start (id ${id}).`,
    evidence: [error instanceof Error ? error.message : String(error)],
    ...(path === undefined ? {} : { nextStep: `The details are in ${path}.` }),
  }
}

function run(wire: ProcessWire): void {
  const dataDir = dataDirOf(process.argv.slice(2))
  const post = (message: FromEngine) => wire.post(message)
  // Messages that come before the engine stands wait here.
  const early: unknown[] = []
  let receive: (message: unknown) => void = (message) => early.push(message)
  wire.onMessage((message) => receive(message))

  let engine: RunningEngine | undefined
  endOnBug(dataDir, 'engine-host', {
    contain: endConnectionOf,
    settle: async () => engine?.dispose(),
    limitMs: END_LIMIT_MS,
  })
  const bundle = bundleOf(import.meta.url)
  try {
    engine = startEngine({
      ...bundle,
      ...where,
      dataDir,
      mayWriteFiles: true,
      startDemoHost: (options) => spawnDemoHost({ ...options, entry: bundle.demoHostEntry }),
    })
  } catch (error) {
    post({ kind: 'failed', error: explain(error, dataDir) })
    void wire.close().then(() => process.exit(1))
    return
  }
  const started = engine
  const end = () => {
    served.dispose()
    setTimeout(() => process.exit(0), END_LIMIT_MS).unref()
    void engine
      .dispose()
      .catch((error: unknown) => logFailure(dataDir, error, 'engine-host'))
      .then(() => wire.close())
      .finally(() => process.exit(0))
  }
  const served = serveMessages({
    context: { api: started.api, reportUnexpected: started.reportUnexpected },
    post,
    onShutdown: end,
    onResumed: started.lookAgain,
    onChosen: started.vouch,
  })
  started.onAttachedChange(() => post({ kind: 'sweeps', sweeps: started.attached() }))
  started.onEnded((ended) => post({ kind: 'ended', ...ended }))
  wire.onGone(end)
  post({ kind: 'ready', version: bundle.version, pid: process.pid, dataDir })
  receive = served.receive
  for (const message of early.splice(0)) served.receive(message)
}

process.removeAllListeners('warning')
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') console.error(`${warning.name}: ${warning.message}`)
})
// The shell decides when it ends: a Ctrl-C at its terminal reaches the whole group.
process.on('SIGINT', () => undefined)

const wire = findProcessWire()
if (wire === undefined) {
  console.error('engine-host is started by the window (see src/main/engine/README.md); for a page: speedgrid serve')
  process.exitCode = 2
} else {
  run(wire)
}
