import { z } from 'zod'
import type { Attempt } from '../model/cell.ts'
import type { RunDocument } from '../model/run.ts'
import { RUN_STATES, type RunState } from '../model/states.ts'
import type { FeedOf } from './changes.ts'
import type { TelemetryPoint } from './sweeps.ts'

const runId = z.string().min(1).max(100)
const oneOf = z.array(z.string().max(1000)).max(1000).default([])

/** What is looked for: every word of the search and every filter has to fit; an empty list lets everything through. */
const runFilterSchema = z.strictObject({
  /** Words, each of which occurs in the name, host, model, state, note, id or a tag; `demo` finds runs of the demo machine. */
  search: z.string().max(200).default(''),
  trashed: z.boolean().default(false),
  hosts: oneOf,
  models: oneOf,
  tags: oneOf,
  states: z.array(z.enum(RUN_STATES)).max(RUN_STATES.length).default([]),
})
export type RunFilter = z.infer<typeof runFilterSchema>

/** `started`: when it was created where it has not begun. */
const RUN_ORDERS = ['started', 'name', 'state', 'model', 'host', 'cells', 'tags', 'took', 'note'] as const
export type RunOrder = (typeof RUN_ORDERS)[number]
export const MOST_ROWS = 500
export const listRunsInput = runFilterSchema.extend({
  order: z.enum(RUN_ORDERS).default('started'),
  isDescending: z.boolean().default(true),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(MOST_ROWS).default(100),
})
export type RunQuery = z.infer<typeof listRunsInput>
export const choicesInput = z.strictObject({ trashed: z.boolean().default(false) })
export const renameRunInput = z.strictObject({ runId, name: z.string().trim().min(1).max(200) })
export const tagRunInput = z.strictObject({ runId, tags: z.array(z.string().trim().min(1).max(50)).max(20) })
export const noteRunInput = z.strictObject({ runId, note: z.string().max(20_000) })
export const trashRunsInput = z.strictObject({ runIds: z.array(runId).min(1).max(1000), trashed: z.boolean() })
export const cellInput = z.strictObject({ runId, contextTokens: z.int(), concurrency: z.int() })

export interface RunRow {
  id: string
  name: string
  state: RunState
  /** Set where nobody reads the run's driver: `state` is what was last heard, and when. */
  unwatched?: { lastHeardAt?: string }
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

/** A piece of the list in its order, and how long the list is. */
export interface RunPage {
  rows: RunRow[]
  /** Runs that the filter lets through. */
  matching: number
  /** Runs there are, in the trash or outside it as was asked. */
  all: number
}

export interface Choice {
  value: string
  count: number
}

/** What there is to filter by, the most frequent first. */
export interface RunChoices {
  hosts: Choice[]
  models: Choice[]
  tags: Choice[]
  states: Choice[]
}

/** What every screen knows of the history; the list itself is asked for in pieces. */
export interface RunsNow {
  /** Grows with every change of any row: what was asked for may have changed. */
  version: number
  count: number
  trashed: number
  /** The newest ones that are not in the trash. */
  recent: RunRow[]
  /** Those being prepared, measured or paused. */
  going: RunRow[]
}

/** All attempts of one cell with their series and requests; raw events are left out. */
export interface CellDetail {
  attempts: Omit<Attempt, 'rawEvents'>[]
  /** GPU and server samples between the latest attempt's start and end. */
  telemetry: TelemetryPoint[]
}

export interface RunsApi {
  watch(signal: AbortSignal): FeedOf<RunsNow, RunsNow>
  list(input: RunQuery): Promise<RunPage>
  row(input: { runId: string }): Promise<RunRow>
  choices(input: { trashed: boolean }): Promise<RunChoices>
  document(input: { runId: string }): Promise<RunDocument>
  cell(input: z.infer<typeof cellInput>): Promise<CellDetail>
  telemetry(input: { runId: string }): Promise<TelemetryPoint[]>
  rename(input: z.infer<typeof renameRunInput>): Promise<void>
  tag(input: z.infer<typeof tagRunInput>): Promise<void>
  note(input: z.infer<typeof noteRunInput>): Promise<void>
  trash(input: z.infer<typeof trashRunsInput>): Promise<void>
}
