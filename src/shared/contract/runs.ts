import { z } from 'zod'
import type { Attempt } from '../model/cell.ts'
import type { RunDocument } from '../model/run.ts'
import type { RunState } from '../model/states.ts'
import type { FeedOf } from './changes.ts'
import type { TelemetryPoint } from './sweeps.ts'

const runId = z.string().min(1).max(100)
export const listRunsInput = z.strictObject({ search: z.string().max(200).optional(), trashed: z.boolean().default(false) })
export const renameRunInput = z.strictObject({ runId, name: z.string().trim().min(1).max(200) })
export const tagRunInput = z.strictObject({ runId, tags: z.array(z.string().trim().min(1).max(50)).max(20) })
export const noteRunInput = z.strictObject({ runId, note: z.string().max(20_000) })
export const trashRunsInput = z.strictObject({ runIds: z.array(runId).min(1).max(1000), trashed: z.boolean() })
export const cellInput = z.strictObject({ runId, contextTokens: z.int(), concurrency: z.int() })

export interface RunRow {
  id: string
  name: string
  state: RunState
  demo: boolean
  createdAt: string
  startedAt?: string
  finishedAt?: string
  host?: string
  model?: string
  tags: string[]
  note?: string
  cellsDone: number
  cellsTotal: number
  trashed: boolean
}

/** All attempts of one cell with their series and requests; raw events are left out. */
export interface CellDetail {
  attempts: Omit<Attempt, 'rawEvents'>[]
  /** GPU and server samples between the latest attempt's start and end. */
  telemetry: TelemetryPoint[]
}

export interface RunsApi {
  watch(signal: AbortSignal): FeedOf<RunRow[], { upsert: RunRow[] } | { remove: string[] }>
  list(input: z.infer<typeof listRunsInput>): Promise<RunRow[]>
  document(input: { runId: string }): Promise<RunDocument>
  cell(input: z.infer<typeof cellInput>): Promise<CellDetail>
  telemetry(input: { runId: string }): Promise<TelemetryPoint[]>
  rename(input: z.infer<typeof renameRunInput>): Promise<void>
  tag(input: z.infer<typeof tagRunInput>): Promise<void>
  note(input: z.infer<typeof noteRunInput>): Promise<void>
  trash(input: z.infer<typeof trashRunsInput>): Promise<void>
}
