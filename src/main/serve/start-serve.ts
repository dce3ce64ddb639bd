import { SpeedgridError } from '../../shared/model/error.ts'
import { type RunningEngine, startEngine, type StartOptions } from '../engine/index.ts'
import { createServe, type Serve } from './create-serve.ts'
import { askForLink, listenForOwner, type Minted } from './mint-socket.ts'

export interface StartServeOptions extends Omit<StartOptions, 'mayWriteFiles'> {
  port?: number
  rendererDir: string
  log?: (text: string) => void
}

/** `ours: false`: another process serves this data folder already, and has made the link. */
export interface StartedServe extends Minted {
  ours: boolean
  /** Names of sweeps that end (interrupted) with this process, because their driver runs beside it. */
  dependents: () => string[]
  dispose: () => Promise<void>
}

/** The engine with its page, one for each data folder. Throws what createEngine and createServe throw. */
export async function startServe(options: StartServeOptions): Promise<StartedServe> {
  const running = await askForLink(options.dataDir)
  if (running !== undefined) return { ...running, ours: false, dependents: () => [], dispose: () => Promise.resolve() }
  const engine = startEngine({ ...options, mayWriteFiles: false })
  let serve: Serve | undefined
  try {
    serve = await createServe({ ...options, api: engine.api, reportUnexpected: engine.reportUnexpected })
    return await withOwnersDoor(options.dataDir, engine, serve)
  } catch (error) {
    await serve?.close()
    await engine.dispose()
    throw error
  }
}

async function withOwnersDoor(dataDir: string, engine: RunningEngine, serve: Serve): Promise<StartedServe> {
  const { address, port } = serve
  const mint = (): Minted => ({ link: serve.link(), address, port, pid: process.pid })
  const door = await listenForOwner(dataDir, mint)
  if (door === undefined) {
    throw new SpeedgridError('conflict', 'Another speedgrid serve was started on this data folder at the same moment.', {
      nextStep: 'Run the command again: it prints a link of the other one.',
    })
  }
  async function endAll(): Promise<void> {
    await door?.close()
    await serve.close()
    await engine.dispose()
  }
  let ending: Promise<void> | undefined
  return {
    ...mint(),
    ours: true,
    dependents: () => engine.attached().flatMap((sweep) => (sweep.needsThisMachine ? [sweep.name] : [])),
    dispose: () => (ending ??= endAll()),
  }
}
