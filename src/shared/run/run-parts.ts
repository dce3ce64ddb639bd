import type { PrefillResult } from '../model/cell.ts'
import type { Inventory } from '../model/host.ts'
import type { Plan } from '../model/plan.ts'
import type { RunDocument } from '../model/run.ts'
import type { SpoolLine } from '../model/spool.ts'
import type { Outcome } from './outcome.ts'
import type { RunHead } from './run-head.ts'

type Planned = Extract<SpoolLine, { kind: 'planned' }>
type Prompt = Extract<SpoolLine, { kind: 'prompt' }>

/** What drivers have said about a run, as far as its rows are made from it; each list in the order it was said. */
export interface RunSaid extends RunHead {
  plan: Plan
  planned: readonly Planned[]
  outcomes: readonly Outcome[]
  prefills: readonly PrefillResult[]
}

/** Everything of a run that its document is made from. */
export interface RunParts extends RunSaid {
  id: string
  name: string
  tags: string[]
  note?: string
  host?: { name: string; address?: string }
  hardware?: Inventory
  launchCommand?: string
  startedArgv?: string[]
  promptText?: RunDocument['promptText']
  place: NonNullable<RunHead['place']>
  prompts: Prompt[]
  events: { timeMs: number; level: 'info' | 'warn' | 'error'; text: string }[]
  /** One entry for each driver of the run: versions, and how long it ran by its own clock. */
  epochs: { nodeVersion: string; driverVersion: string; seconds: number }[]
}
