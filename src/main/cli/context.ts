import { dataFolder, typedPath } from '../engine/data-folder/index.ts'
import type { Engine } from '../engine/types.ts'
import type { CliDeps } from './deps.ts'
import { createInterrupts, type Interrupts } from './interrupts.ts'
import { createOutput, type Output, type OutputOptions } from './output.ts'
import { createPrompter, type TerminalPrompter } from './prompter.ts'

export interface GlobalOptions extends OutputOptions {
  dataDir?: string
}

/** The part of the screen that is drawn in place; a question pauses it. */
interface Screen {
  pause(): () => void
}

/** What a command gets: one engine (made on first use), its output, its person. */
export interface CommandContext {
  readonly deps: CliDeps
  readonly output: Output
  readonly dataDir: string
  /** True where --data-dir was given: commands we print must say it again. */
  readonly chosenDataDir: boolean
  readonly prompter: TerminalPrompter
  readonly interrupts: Interrupts
  /** A path the person typed → absolute. */
  path(typed: string): string
  /** `homeDir` (first call only): whose .ssh is read; the demo uses an empty one. */
  engine(options?: { homeDir?: string }): Promise<Engine>
  setScreen(screen: Screen | undefined): void
  /** Something of the command's own that is ended with it, however it ends; before the engine. */
  endWith(end: () => Promise<unknown>): void
  dispose(): Promise<void>
}

export function createContext(deps: CliDeps, options: GlobalOptions): CommandContext {
  const output = createOutput(deps, options)
  const dataDir = dataFolder(deps, options.dataDir)
  const interrupts = createInterrupts(deps)
  let screen: Screen | undefined
  const prompter = createPrompter({
    stdin: deps.stdin,
    stderr: deps.stderr,
    onInterrupt: () => interrupts.press(),
    pauseScreen: () => screen?.pause() ?? (() => {}),
  })
  let engine: Promise<Engine> | undefined
  const ends: (() => Promise<unknown>)[] = []
  return {
    deps,
    output,
    dataDir,
    chosenDataDir: options.dataDir !== undefined,
    prompter,
    interrupts,
    path: (typed) => typedPath(deps, typed),
    engine(engineOptions) {
      engine ??= (async () => deps.createEngine({ dataDir, prompter, homeDir: engineOptions?.homeDir ?? deps.homeDir }))()
      return engine
    },
    setScreen(next) {
      screen = next
    },
    endWith: (end) => void ends.push(end),
    async dispose() {
      for (const end of ends) await end()
      interrupts.dispose()
      const opened = await engine?.catch(() => undefined)
      await opened?.dispose()
    },
  }
}
