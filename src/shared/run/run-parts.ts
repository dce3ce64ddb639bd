import type { Attempt, PrefillResult } from '../model/cell.ts'
import type { EngineFacts } from '../model/engine-facts.ts'
import type { Inventory } from '../model/host.ts'
import type { Plan } from '../model/plan.ts'
import type { SpoolLine } from '../model/spool.ts'
import type { RunDocument } from '../model/run.ts'
import type { RunState } from '../model/states.ts'

/** How one try at a cell ended: an attempt without its bulk, or a cell settled without an attempt. */
export type Outcome = Pick<
  Attempt,
  | 'contextTokens'
  | 'concurrency'
  | 'repeat'
  | 'status'
  | 'reason'
  | 'flags'
  | 'figures'
  | 'discarded'
  | 'neededTokens'
  | 'kvTokens'
  | 'phaseSeconds'
  | 'logLines'
  | 'cutBy'
> & { attempt?: number }

export type Planned = Extract<SpoolLine, { kind: 'planned' }>
export type Prompt = Extract<SpoolLine, { kind: 'prompt' }>

/** Everything of a run that its document is made from, in the order it was said. */
export interface RunParts {
  id: string
  name: string
  tags: string[]
  note?: string
  startedAt?: string
  finishedAt?: string
  state: RunState
  reason?: string
  demo: boolean
  host?: { name: string; address?: string }
  hardware?: Inventory
  engine?: EngineFacts
  launchCommand?: string
  startedArgv?: string[]
  plan: Plan
  promptText?: RunDocument['promptText']
  place: 'host' | 'tunnel' | 'local'
  path?: { roundTripMs: number; jitterMs: number }
  requestTemplate?: Record<string, unknown>
  planned: Planned[]
  outcomes: Outcome[]
  prefills: PrefillResult[]
  prompts: Prompt[]
  events: { timeMs: number; level: 'info' | 'warn' | 'error'; text: string }[]
  /** One entry for each driver of the run: versions, and how long it ran by its own clock. */
  epochs: { nodeVersion: string; driverVersion: string; seconds: number }[]
}
