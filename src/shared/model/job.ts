import { z } from 'zod'
import { engineFactsSchema } from './engine-facts.ts'
import { planSchema } from './plan.ts'
import { processIdentitySchema } from './server.ts'

/**
 * What the engine hands the driver: the file `job.json` in the run folder. It holds no secret: the API key comes over standard
 * input as the first line (see driverInputSchema).
 */
export const jobSchema = z.object({
  schema: z.literal('speedgrid.job/1'),
  runId: z.string(),
  /** Counts the drivers of one run: 1, then one more for every resume. Part of the prompts' nonce, so that a resumed run never hits its former self. */
  epoch: z.int().min(1),
  /** Only detect, resolve and list the cells; measure nothing. */
  dryRun: z.boolean().default(false),
  plan: planSchema,
  target: z.object({
    /** http(s)://host:port, without a path. */
    baseUrl: z.string(),
    /** Tunnel: a Unix socket (or named pipe) to connect to in place of baseUrl's host and port. */
    socketPath: z.string().optional(),
  }),
  place: z.enum(['host', 'tunnel', 'local']),
  /** What the engine knows about the server already (log, argv); the driver detects the rest. */
  known: engineFactsSchema.partial().default({}),
  /** The server's own process and log, where the driver can see them (place: host): death is noticed and explained. */
  serverProcess: z
    .object({
      identity: processIdentitySchema.optional(),
      logPath: z.string().optional(),
      /** Account that listens at the port, where that isn't ours (an adopted server): nobody else's socket gets the key. */
      listenerUid: z.int().optional(),
    })
    .optional(),
  /** host: the driver samples by itself. input: the engine sends samples over standard input. none: there is nothing to sample. */
  gpuTelemetry: z.enum(['self', 'input', 'none']).default('none'),
  /** Indexes of the GPUs that belong to the server; all where absent. */
  gpuIndexes: z.array(z.int()).optional(),
  /** Cells and prefills that are finished already and must not be measured again (resume); skips asked for by the person. */
  done: z
    .object({
      cells: z.array(z.object({ contextTokens: z.int(), concurrency: z.int(), repeat: z.int() })),
      prefills: z.array(z.object({ contextTokens: z.int() })),
    })
    .default({ cells: [], prefills: [] }),
  /** Attempts that exist already, so that a new one gets the next number; `deaths`: in how many of them the server died. */
  attempts: z
    .array(
      z.object({
        contextTokens: z.int(),
        concurrency: z.int(),
        repeat: z.int(),
        attempts: z.int(),
        deaths: z.int().default(0),
      }),
    )
    .default([]),
  /** How often the server died while a context's prefill was sampled. */
  prefillDeaths: z.array(z.object({ contextTokens: z.int(), deaths: z.int() })).default([]),
  /** Numbers of spool lines that the engine has stored: the new spool starts after them. */
  firstLine: z.int().min(1).default(1),
})
export type Job = z.infer<typeof jobSchema>

/** Lines on the driver's standard input. The first line is always `secret`; a detached driver then sees the end of input. */
export const driverInputSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('secret'), apiKey: z.string().optional() }),
  /** Output of nvidia-smi as the engine read it in tunnel and local mode, with the engine's wall clock. */
  z.object({ kind: z.literal('gpu'), wallMs: z.number(), gpus: z.array(z.unknown()) }),
  /** The tunnel's own health, measured by the engine. */
  z.object({ kind: z.literal('tunnel'), loopDelayP99Ms: z.number() }),
  /** How the tunnel stands. `lost`: it won't come back by itself. */
  z.object({ kind: z.literal('link'), state: z.enum(['up', 'down', 'lost']), reason: z.string().optional() }),
  /** The engine has no room for a connection of the tunnel: neither the link's fault nor the server's. */
  z.object({ kind: z.literal('limit'), reason: z.string() }),
])
export type DriverInput = z.infer<typeof driverInputSchema>

const cellKey = { contextTokens: z.int(), concurrency: z.int() }

/** Lines of `control.jsonl` in the run folder: append-only, polled by the driver. */
export const controlSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pause') }),
  z.object({ kind: z.literal('resume') }),
  /** End now, what is missing is reported as cancelled; the run is over (`stopped`). */
  z.object({ kind: z.literal('stop') }),
  /** End now, but the run can be resumed (`interrupted`). */
  z.object({ kind: z.literal('interrupt') }),
  /** Skip a cell; without one, the cell that is being measured. */
  z.object({
    kind: z.literal('skip'),
    contextTokens: cellKey.contextTokens.optional(),
    concurrency: cellKey.concurrency.optional(),
  }),
  z.object({ kind: z.literal('remeasure'), ...cellKey }),
  /** Everything up to line n is stored. */
  z.object({ kind: z.literal('ack'), n: z.int() }),
])
export type Control = z.infer<typeof controlSchema>
