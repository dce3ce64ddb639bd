// The entry of out/main/cli.js. Everything that is decided lives in program.ts; here real streams, signals and paths come in.
import { homedir } from 'node:os'
import { bundleOf } from '../engine/bundle/index.ts'
import { spawnDemoHost } from '../engine/demo/index.ts'
import type { BugSource, CliDeps, SignalSource } from './deps.ts'
import { runCli } from './program.ts'

const bundle = bundleOf(import.meta.url)

const onSignal: SignalSource = (listener) => {
  const interrupt = () => listener('interrupt')
  const hangup = () => listener('hangup')
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  process.on('SIGHUP', hangup)
  return () => {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
    process.off('SIGHUP', hangup)
  }
}

// Known once the engine's code is loaded; before that there are no connections.
let endOwner: (error: unknown) => boolean = () => false
const onBug: BugSource = (listener) => {
  const hear = (error: unknown) => listener(error, endOwner(error))
  process.on('uncaughtException', hear)
  return () => void process.off('uncaughtException', hear)
}

const deps: CliDeps = {
  version: bundle.version,
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  homeDir: homedir(),
  platform: process.platform,
  onSignal,
  onBug,
  exitNow: (code) => process.exit(code),
  now: () => Date.now(),
  async createEngine(options) {
    // Loaded when needed: `--help` shouldn't open SSH and SQLite.
    const { createEngine, endConnectionOf } = await import('../engine/index.ts')
    endOwner = endConnectionOf
    const engine = createEngine({ ...options, driverPath: bundle.driverPath, nodeBinaries: bundle.nodeBinaries })
    await engine.sweeps.settleOrphans()
    return engine
  },
  async startServe(options) {
    const [{ startServe }, { endConnectionOf }] = await Promise.all([import('../serve/index.ts'), import('../engine/index.ts')])
    endOwner = endConnectionOf
    return startServe({
      ...bundle,
      ...options,
      platform: process.platform,
      env: process.env,
      homeDir: homedir(),
      startDemoHost: (demo) => spawnDemoHost({ ...demo, entry: bundle.demoHostEntry }),
    })
  },
  startDemoHost: (options) => spawnDemoHost({ ...options, entry: bundle.demoHostEntry }),
}

// A reader that has seen enough (`| head`) is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}
process.removeAllListeners('warning')
process.on('warning', (warning) => {
  // node:sqlite of older Nodes calls itself experimental on every start; the person can't do anything about it.
  if (warning.name !== 'ExperimentalWarning') console.error(`${warning.name}: ${warning.message}`)
})

const code = await runCli(process.argv.slice(2), deps)
// Both are flushed before leaving: on a pipe the last document may still be on its way.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
)
process.exit(code)
