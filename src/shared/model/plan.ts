import { z } from 'zod'

const tokens = z.int().min(0).max(100_000_000)
const contextSchema = z.union([tokens, z.literal('max')])

export const PROMPT_MODES = ['shared', 'shared-prefix', 'distinct', 'cold'] as const
export const CAPACITY_RULES = ['published', 'shared', 'none'] as const
export const CELL_ORDERS = ['published', 'ascending'] as const
export const ENDPOINTS = ['chat', 'completions'] as const
/** Where the count of output tokens comes from: with every event, or at each request's end and from the server's counter. */
export const COUNT_TOKENS = ['auto', 'with-events', 'at-end'] as const
export const DRIVER_PLACES = ['host', 'tunnel', 'local'] as const

const hasNoDuplicates = (list: unknown[]) => new Set(list).size === list.length

/**
 * What to measure. Strict: an unknown field is refused, so that a typo never silently measures something else.
 * Contexts are prompt lengths in tokens; `max` is resolved against the server (docs/measurement.md 1).
 */
export const planSchema = z.strictObject({
  contexts: z.array(contextSchema).min(1).max(64).refine(hasNoDuplicates, 'a context is listed twice'),
  concurrency: z.array(z.int().min(1).max(4096)).min(1).max(64).refine(hasNoDuplicates, 'a concurrency is listed twice'),
  /** D: window seconds. */
  seconds: z.number().min(0.5).max(3600).default(30),
  /** M: max output tokens of each request. */
  maxOutputTokens: z.int().min(2).max(1_000_000).default(4096),
  prefillContexts: z.array(contextSchema).max(64).refine(hasNoDuplicates, 'a prefill context is listed twice').default([]),
  prefillSamples: z.int().min(1).max(100).default(1),
  promptMode: z.enum(PROMPT_MODES).default('shared'),
  capacity: z.enum(CAPACITY_RULES).default('published'),
  /** Overrides what the server says about its KV capacity. */
  kvTokens: z.int().min(1).optional(),
  order: z.enum(CELL_ORDERS).default('published'),
  /** How long the gate's condition must hold before the window opens. */
  settleSeconds: z.number().min(0).max(60).default(1),
  /** Spreads the ends of the streams' first requests over one request's length (off, as published). */
  stagger: z.boolean().default(false),
  endpoint: z.enum(ENDPOINTS).default('chat'),
  /** The person's own prompt text instead of the seeded one; texts are carried in the plan, so that a host needs no second file. */
  prompts: z.object({ name: z.string(), texts: z.array(z.string().min(1)).min(1) }).optional(),
  repeats: z.int().min(1).max(100).default(1),
  driver: z.enum(DRIVER_PLACES).optional(),
  /** Allows bringing our Node to the host (`--send-node`). */
  sendNode: z.boolean().default(false),
  seed: z.int().min(0).max(0xffff_ffff).default(1),
  /** The served model name; the server's first one where absent. */
  model: z.string().min(1).max(500).optional(),
  /** Sampling is the server's unless pinned. */
  temperature: z.number().min(0).max(5).optional(),
  /** Asking for the running count with every event costs the server time; `auto` asks where nothing else is exact. */
  countTokens: z.enum(COUNT_TOKENS).default('auto'),
  onLoop: z.enum(['discard', 'replace']).default('discard'),
  foreignLoad: z.enum(['wait', 'error', 'measure']).default('wait'),
  /** How long `foreignLoad: wait` waits before the cell is an error. */
  foreignWaitSeconds: z.number().min(0).max(86_400).default(120),
  onServerGone: z.enum(['stop', 'wait']).default('stop'),
  /** Ends a window early once the 95 % half-width of the total rate is below this; between `minSeconds` and `maxSeconds`. */
  targetPrecisionPercent: z.number().positive().max(100).optional(),
  minSeconds: z.number().min(0.5).optional(),
  maxSeconds: z.number().max(7200).optional(),
  timeBudgetMinutes: z.number().positive().optional(),
  /** A driver nobody reads from ends by itself after this long without an ack. */
  ackLimitHours: z
    .number()
    .positive()
    .max(24 * 30)
    .default(24),
})
export type Plan = z.infer<typeof planSchema>
export type PlanInput = z.input<typeof planSchema>
export type PromptMode = Plan['promptMode']
