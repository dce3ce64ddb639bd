import type { ErrorInfo } from '../../shared/model/error.ts'
import type { Control } from '../../shared/model/job.ts'
import type { Plan } from '../../shared/model/plan.ts'
import type { RunDocument } from '../../shared/model/run.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import type { RunState } from '../../shared/model/states.ts'
import type { DryRunView } from '../../shared/contract/sweeps.ts'
import type { LinkState } from './run-listeners.ts'

/** What the sweep runs against. */
export type SweepTarget =
  | { kind: 'server'; host: string; server?: string }
  /** Reached directly, without SSH; the key comes from the environment of the person's shell, never from an argument. */
  | { kind: 'url'; url: string; apiKey?: string }

export interface SweepRequest {
  target: SweepTarget
  plan: Plan
  name?: string
  tags?: string[]
  apiKey?: string
}

export type DryRun = DryRunView

export interface SweepHandle {
  readonly runId: string
  /** Where the driver really runs, and why where that isn't the default. */
  readonly place: 'host' | 'tunnel' | 'local'
  readonly placeNote?: string
  /** Every spool line as it is stored; those already stored come first (of them only what is after `afterLine`, where that is given). */
  onLine(listener: (line: SpoolLine) => void, options?: { afterLine?: number }): () => void
  /** How it stands between us and the driver. */
  onLink(listener: (state: LinkState) => void): () => void
  /** Resolves when the driver has ended and everything it said is stored and its folder removed. */
  readonly finished: Promise<{ state: RunState; reason?: string; error?: ErrorInfo }>
  control(control: Exclude<Control, { kind: 'ack' }>): Promise<void>
  /** Stop reading; a driver on the host runs on, one beside the engine is interrupted. */
  detach(): Promise<void>
}

export interface SweepService {
  /** Detects the server and resolves the plan through the driver itself. Throws `plan` where a context can't fit, with the numbers. */
  dryRun(request: SweepRequest): Promise<DryRun>
  start(request: SweepRequest): Promise<SweepHandle>
  /** Goes on with a run: reads on from a living driver, or starts a new one for what is missing. */
  /** `attachOnly`: starts nothing; throws `interrupted` where the driver is gone (what it left is stored then) or must not be touched. */
  resume(runId: string, options?: { apiKey?: string; attachOnly?: boolean }): Promise<SweepHandle>
  document(runId: string): RunDocument
  /** Runs whose engine and driver are gone are no longer going on; every front door does this when it opens. Returns which are others now. */
  settleOrphans(): Promise<string[]>
  dispose(): Promise<void>
}
