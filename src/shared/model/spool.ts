import { z } from 'zod'
import { findExcess } from '../bytes/index.ts'
import { attemptSchema, CELL_STATUSES, prefillResultSchema } from './cell.ts'
import { engineFactsSchema } from './engine-facts.ts'
import { errorInfoSchema } from './error.ts'
import { CELL_PHASES, RUN_STATES } from './states.ts'
import { gpuSampleSchema, metricsSampleSchema } from './telemetry.ts'

/** A cell of the plan as the driver will treat it, decided before anything is measured. */
const plannedCellSchema = z.object({
  contextTokens: z.int(),
  concurrency: z.int(),
  repeat: z.int(),
  verdict: z.enum(['run', 'over_capacity', 'done']),
  reason: z.string().optional(),
  neededTokens: z.number().optional(),
  kvTokens: z.number().optional(),
})
export type PlannedCell = z.infer<typeof plannedCellSchema>

/** The end of the year 9999: later than that no date can be written. */
const MAX_WALL_MS = 253_402_300_799_999
/** Rows of a grid that a person could want; a grid of a million rows would end whoever draws it. */
const contextList = z.array(z.int()).max(1000)

const line = <Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.object({
    /** Line number in the run: 1, 2, 3 … without a gap, across resumes. */
    n: z.int().min(1),
    /** Wall clock (Unix ms) when the line was written. */
    t: z.number().min(0).max(MAX_WALL_MS),
    /** The driver's monotonic clock (ms since it started). */
    m: z.number(),
    kind: z.literal(kind),
    ...shape,
  })

const anyLineSchema = z.discriminatedUnion('kind', [
  line('hello', {
    runId: z.string(),
    epoch: z.int(),
    place: z.enum(['host', 'tunnel', 'local']),
    driverVersion: z.string(),
    nodeVersion: z.string(),
    hostName: z.string(),
    pid: z.int(),
  }),
  line('state', { state: z.enum(RUN_STATES), reason: z.string().optional(), error: errorInfoSchema.optional() }),
  /** What was found out about the server and the way to it. */
  line('facts', {
    facts: engineFactsSchema,
    path: z.object({ roundTripMs: z.number(), jitterMs: z.number(), probes: z.int() }).optional(),
    /** The body of a measured request without its text, for the record. */
    requestTemplate: z.record(z.string(), z.unknown()).optional(),
  }),
  line('planned', {
    contexts: contextList,
    prefillContexts: contextList,
    cells: z.array(plannedCellSchema),
    estimateSeconds: z.number(),
  }),
  /** A prompt was built: the length asked for and the length the server counted. */
  line('prompt', { contextTokens: z.int(), countedTokens: z.int(), method: z.string(), sha256: z.string(), seconds: z.number() }),
  line('prefill', { result: prefillResultSchema }),
  line('cell', {
    contextTokens: z.int(),
    concurrency: z.int(),
    repeat: z.int(),
    attempt: z.int(),
    phase: z.enum(CELL_PHASES),
    detail: z.string().optional(),
  }),
  /** While a cell is filling or measured, about twice a second. */
  line('live', {
    contextTokens: z.int(),
    concurrency: z.int(),
    phase: z.enum(CELL_PHASES),
    tokensPerSecond: z.number(),
    activeStreams: z.int(),
    windowSeconds: z.number(),
    outputTokens: z.int(),
  }),
  line('attempt', { record: attemptSchema }),
  /** Cells that end without an attempt (over capacity, skipped, cancelled). */
  line('settled', {
    contextTokens: z.int(),
    concurrency: z.int(),
    repeat: z.int(),
    status: z.enum(CELL_STATUSES),
    reason: z.string(),
    neededTokens: z.number().optional(),
    kvTokens: z.number().optional(),
  }),
  line('sample', { gpus: z.array(gpuSampleSchema).optional(), metrics: metricsSampleSchema.optional() }),
  line('event', { level: z.enum(['info', 'warn', 'error']), text: z.string() }),
  /** Once a second: alive, and how far. */
  line('beat', { doneCells: z.int(), totalCells: z.int(), remainingSeconds: z.number().optional() }),
  line('end', { state: z.enum(RUN_STATES), reason: z.string().optional(), error: errorInfoSchema.optional() }),
])

/**
 * The spool: what a driver says, one JSON object a line in `spool.jsonl`. Append-only; synced to disk after `attempt`, `prefill`
 * and `end`. Whoever attaches reads from the last number it has stored. A driver runs on a foreign host: sizes and ranges are checked too,
 * since what is stored is read by every front door.
 */
export const spoolLineSchema = anyLineSchema.superRefine((line, context) => {
  const excess = findExcess(line)
  if (excess !== undefined) context.addIssue({ code: 'custom', message: excess })
})
export type SpoolLine = z.infer<typeof spoolLineSchema>
/** A line before the spool gave it number and times. */
export type SpoolEntry = SpoolLine extends infer L ? (L extends SpoolLine ? Omit<L, 'n' | 't' | 'm'> : never) : never
