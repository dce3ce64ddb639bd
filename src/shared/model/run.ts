import { z } from 'zod'
import { CELL_STATUSES, cellFiguresSchema, flagSchema, prefillSampleSchema } from './cell.ts'
import { engineFactsSchema } from './engine-facts.ts'
import { inventorySchema } from './host.ts'
import { planSchema } from './plan.ts'
import { RUN_STATES } from './states.ts'

const prefillRowSchema = z.object({
  contextTokens: z.int(),
  status: z.enum(CELL_STATUSES),
  reason: z.string().optional(),
  flags: z.array(flagSchema).default([]),
  promptTokens: z.number().optional(),
  cachedTokens: z.number().optional(),
  ttftMs: z.number().optional(),
  tokensPerSecond: z.number().optional(),
  spreadPercent: z.number().optional(),
  samples: z.array(prefillSampleSchema).default([]),
  completedRequests: z.int().optional(),
  source: z.enum(['standalone', 'scout']).optional(),
})
export type PrefillRow = z.infer<typeof prefillRowSchema>

/**
 * A cell of the run. Its figures are those of its latest valid attempt; with repeats, the median over the repeats' valid attempts
 * (and `confidence95Percent` from their spread). A looped cell says 0 completed requests and 0 output tokens, as published.
 */
const cellRowSchema = z.object({
  contextTokens: z.int(),
  concurrency: z.int(),
  status: z.enum(CELL_STATUSES),
  reason: z.string().optional(),
  flags: z.array(flagSchema).default([]),
  ...cellFiguresSchema.shape,
  attempts: z.int().default(0),
  repeats: z.int().optional(),
  neededTokens: z.number().optional(),
  kvTokens: z.number().optional(),
  discarded: cellFiguresSchema.optional(),
  logLines: z.array(z.string()).optional(),
})
export type CellRow = z.infer<typeof cellRowSchema>

/** `speedgrid.run/1`: the run as JSON (`speedgrid show RUN --json`). Fields may be added; these keep their names and units. */
export const runDocumentSchema = z.object({
  schema: z.literal('speedgrid.run/1'),
  id: z.string(),
  name: z.string(),
  tags: z.array(z.string()).default([]),
  note: z.string().optional(),
  startedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  state: z.enum(RUN_STATES),
  reason: z.string().optional(),
  /** Set where nobody reads the run's driver: `state` is what was last heard, and when. */
  unwatched: z.object({ lastHeardAt: z.iso.datetime().optional() }).optional(),
  /** Figures of the demo lab machine are labelled as such wherever they show. */
  demo: z.boolean().default(false),
  host: z.object({ name: z.string(), address: z.string().optional() }).optional(),
  hardware: inventorySchema.optional(),
  engine: engineFactsSchema.optional(),
  /** As the person wrote it: secrets <redacted>, home folders $HOME. */
  launchCommand: z.string().optional(),
  startedArgv: z.array(z.string()).optional(),
  plan: planSchema,
  /** The person's own prompt text, without the text: where it came from, how many, and a checksum over all of them. */
  promptText: z.object({ name: z.string(), texts: z.int(), sha256: z.string() }).optional(),
  path: z.object({
    driver: z.enum(['host', 'tunnel', 'local']),
    roundTripMs: z.number().optional(),
    jitterMs: z.number().optional(),
    nodeVersion: z.string().optional(),
  }),
  requestTemplate: z.record(z.string(), z.unknown()).optional(),
  prompts: z
    .array(z.object({ contextTokens: z.int(), countedTokens: z.int(), method: z.string(), sha256: z.string() }))
    .default([]),
  prefill: z.array(prefillRowSchema),
  cells: z.array(cellRowSchema),
  events: z.array(z.object({ at: z.iso.datetime(), level: z.enum(['info', 'warn', 'error']), text: z.string() })).default([]),
  timing: z.object({ wallSeconds: z.number(), windowSeconds: z.number(), prefillSeconds: z.number() }),
  tool: z.object({ name: z.string(), version: z.string() }).optional(),
})
export type RunDocument = z.infer<typeof runDocumentSchema>
