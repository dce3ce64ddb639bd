import { z } from 'zod'
import type { ErrorInfo } from '../model/error.ts'
import { hostNameSchema } from '../model/host.ts'
import { planSchema } from '../model/plan.ts'
import type { CellRow, PrefillRow } from '../model/run.ts'
import type { PlannedCell } from '../model/spool.ts'
import type { CellPhase, RunState } from '../model/states.ts'
import type { EngineFacts } from '../model/engine-facts.ts'
import type { GpuSample, MetricsSample } from '../model/telemetry.ts'
import type { FeedOf } from './changes.ts'

export const targetInput = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('server'), host: hostNameSchema, server: z.string().max(100).optional() }),
  z.strictObject({ kind: z.literal('url'), url: z.url().max(2000), apiKey: z.string().max(4096).optional() }),
])
export const sweepInput = z.strictObject({
  target: targetInput,
  plan: planSchema,
  name: z.string().trim().max(200).optional(),
  tags: z.array(z.string().trim().min(1).max(50)).max(20).optional(),
})
export const runIdInput = z.strictObject({ runId: z.string().min(1).max(100) })
export const controlInput = z.discriminatedUnion('kind', [
  z.strictObject({ runId: z.string(), kind: z.enum(['pause', 'resume', 'stop', 'interrupt']) }),
  z.strictObject({
    runId: z.string(),
    kind: z.literal('skip'),
    contextTokens: z.int().optional(),
    concurrency: z.int().optional(),
  }),
  z.strictObject({ runId: z.string(), kind: z.literal('remeasure'), contextTokens: z.int(), concurrency: z.int() }),
])

export interface DryRunView {
  facts: EngineFacts
  contexts: number[]
  prefillContexts: number[]
  cells: PlannedCell[]
  estimateSeconds: number
  place: 'host' | 'tunnel' | 'local'
  /** Why the place is not the one asked for by default (no Node on the host …). */
  placeNote?: string
}

/** The cell that is being measured now. */
export interface LiveCell {
  contextTokens: number
  concurrency: number
  repeat: number
  attempt: number
  phase: CellPhase
  detail?: string
  tokensPerSecond?: number
  activeStreams?: number
  windowSeconds?: number
  outputTokens?: number
  /** Rates of the last seconds, for the sparkline. */
  recentRates: number[]
}

export interface TelemetryPoint {
  /** Unix ms. */
  t: number
  gpus?: GpuSample[]
  metrics?: MetricsSample
}

export interface SweepEvent {
  at: string
  level: 'info' | 'warn' | 'error'
  text: string
  /** Said in the head or the grid as well; a small screen leaves it out of its log. */
  isShownElsewhere?: true
}

/**
 * How it stands between the engine and the driver. `link_down`: the driver's folder can't be reached (on a host the sweep runs on).
 * `history_down`: the history can't be written; the driver measures on, and what it says waits in its spool. `driver_silent`: the driver
 * lives and says nothing. `driver_gone`: it has ended without an end. `not_attached`: this engine doesn't read from it.
 */
export type SweepLink = 'reading' | 'link_down' | 'history_down' | 'driver_silent' | 'driver_gone' | 'not_attached'

/** Everything a screen needs of a run that is going on (or is over): reload and second window see the same. */
export interface SweepView {
  runId: string
  name: string
  state: RunState
  reason?: string
  error?: ErrorInfo
  demo: boolean
  host?: string
  model?: string
  place?: 'host' | 'tunnel' | 'local'
  placeNote?: string
  link: SweepLink
  linkReason?: string
  contexts: number[]
  concurrency: number[]
  windowSeconds: number
  cells: CellRow[]
  prefill: PrefillRow[]
  live?: LiveCell
  doneCells: number
  totalCells: number
  remainingSeconds?: number
  startedAt?: string
  finishedAt?: string
  /** The last ten minutes. */
  telemetry: TelemetryPoint[]
  /** The last 500. */
  events: SweepEvent[]
}

/** What changed since the last message; absent fields did not. Cells carry their whole row, one change a cell. */
export interface SweepChange {
  head?: Partial<
    Pick<
      SweepView,
      | 'name'
      | 'state'
      | 'reason'
      | 'error'
      | 'link'
      | 'linkReason'
      | 'place'
      | 'placeNote'
      | 'model'
      | 'doneCells'
      | 'totalCells'
      | 'remainingSeconds'
      | 'startedAt'
      | 'finishedAt'
      | 'contexts'
      | 'concurrency'
    >
  >
  cells?: CellRow[]
  prefill?: PrefillRow[]
  /** null: nothing is being measured. */
  live?: LiveCell | null
  telemetry?: TelemetryPoint[]
  events?: SweepEvent[]
}

export interface SweepsApi {
  dryRun(input: z.infer<typeof sweepInput>): Promise<DryRunView>
  start(input: z.infer<typeof sweepInput>): Promise<{ runId: string }>
  resume(input: z.infer<typeof runIdInput>): Promise<{ runId: string }>
  control(input: z.infer<typeof controlInput>): Promise<void>
  watch(input: z.infer<typeof runIdInput>, signal: AbortSignal): FeedOf<SweepView, SweepChange>
}
