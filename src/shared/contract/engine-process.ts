import { z } from 'zod'
import { errorInfoSchema } from '../model/error.ts'
import { RUN_STATES } from '../model/states.ts'

/**
 * What passes between the window's shell and the engine's process (src/main/engine/README.md): text frames of tRPC's WebSocket protocol,
 * each under the number of the connection it belongs to, and a few words of the process itself.
 */
const connection = z.int().min(0)
export const fromShellSchema = z.union([
  z.strictObject({ connection, open: z.literal(true) }),
  z.strictObject({ connection, data: z.string() }),
  z.strictObject({ connection, close: z.literal(true) }),
  /** End in good order; the process exits by itself. Drivers on hosts run on. */
  z.strictObject({ kind: z.literal('shutdown') }),
  /** The machine woke up: links are looked at now instead of at their next turn. */
  z.strictObject({ kind: z.literal('resumed') }),
  /** The person chose this file in the shell's save dialog: a report may be written there, once. A page's word is not enough. */
  z.strictObject({ kind: z.literal('chosen'), path: z.string().min(1).max(4096) }),
])
export type FromShell = z.infer<typeof fromShellSchema>

/** A sweep this engine is attached to, as far as a shell cares. */
const attachedSweepSchema = z.object({
  runId: z.string(),
  name: z.string(),
  state: z.enum(RUN_STATES),
  /** True where the driver runs beside the engine: the sweep stops when this machine sleeps or the engine ends. */
  needsThisMachine: z.boolean(),
  /** For the taskbar's progress. */
  doneCells: z.int().optional(),
  totalCells: z.int().optional(),
})
export type AttachedSweep = z.infer<typeof attachedSweepSchema>

export const fromEngineSchema = z.union([
  z.strictObject({ connection, data: z.string() }),
  /** The engine closed it; frames that come later under this number are dropped. */
  z.strictObject({ connection, close: z.literal(true) }),
  /** Said once, before anything else. Frames sent earlier are not lost. */
  z.strictObject({ kind: z.literal('ready'), version: z.string(), pid: z.int(), dataDir: z.string() }),
  /** The engine can't start (data folder not writable, history of a newer version …); the process exits after it. */
  z.strictObject({ kind: z.literal('failed'), error: errorInfoSchema }),
  /** Said at every change: for keep-awake, and to warn before quitting. */
  z.strictObject({ kind: z.literal('sweeps'), sweeps: z.array(attachedSweepSchema) }),
  /** A run that was attached is over (or interrupted): for a notification. */
  z.strictObject({
    kind: z.literal('ended'),
    runId: z.string(),
    name: z.string(),
    state: z.enum(RUN_STATES),
    reason: z.string().optional(),
  }),
])
export type FromEngine = z.infer<typeof fromEngineSchema>
