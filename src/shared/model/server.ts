import { z } from 'zod'

/** How to tell one of our processes from any other on a shared host (ARCHITECTURE.md, "Ours or not"). */
export const processIdentitySchema = z.object({
  hostName: z.string(),
  bootId: z.string(),
  pid: z.int(),
  session: z.int(),
  /** Field 22 of /proc/PID/stat: clock ticks since boot. */
  startTicks: z.string(),
})
export type ProcessIdentity = z.infer<typeof processIdentitySchema>

const SERVER_STATES = ['starting', 'ready', 'failed', 'stopping', 'stopped', 'gone'] as const
export type ServerState = (typeof SERVER_STATES)[number]

/** A server of ours as its state file on the host tells it. The API key is not in here and not on any disk. */
export const serverSchema = z.object({
  id: z.string().regex(/^[a-z0-9-]{4,40}$/),
  host: z.string(),
  name: z.string().optional(),
  identity: processIdentitySchema.optional(),
  port: z.int(),
  /** Where it listens, when the person's --host is neither loopback nor every address. */
  address: z.string().optional(),
  /** The folder on the host with the script, log and state file; absent for an adopted server. */
  folder: z.string().optional(),
  logPath: z.string().optional(),
  /** The command as the person wrote it, secrets as <redacted>, home folders as $HOME. */
  launchCommand: z.string().optional(),
  /** What was really started, secrets left out. */
  startedArgv: z.array(z.string()).optional(),
  environmentNames: z.array(z.string()).optional(),
  vllm: z.string().optional(),
  adopted: z.boolean().default(false),
  /** Of an adopted one: the account that listened when it was adopted. */
  listenerUid: z.int().optional(),
  /** True where our server has an API key (in its own session's environment). */
  hasApiKey: z.boolean().default(false),
  startedAt: z.iso.datetime(),
})
export type Server = z.infer<typeof serverSchema>
