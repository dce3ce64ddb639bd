import { z } from 'zod'
import type { EngineFacts } from '../model/engine-facts.ts'
import type { ErrorInfo } from '../model/error.ts'
import { hostNameSchema } from '../model/host.ts'
import type { Server, ServerState } from '../model/server.ts'
import type { FeedOf } from './changes.ts'

export const serverRefInput = z.strictObject({ host: hostNameSchema, server: z.string().min(1).max(100) })
export const hostOnlyInput = z.strictObject({ host: hostNameSchema })
const secretSchema = z.strictObject({ name: z.string().regex(/^[A-Za-z_]\w{0,199}$/), value: z.string().max(20_000).optional() })
/** A command as typed or pasted, without its secrets: they stand beside it, without their values where those aren't needed. */
const commandText = {
  text: z.string().trim().min(1).max(20_000),
  secrets: z.array(secretSchema).max(100).default([]),
}
export const launchInput = z.strictObject({
  host: hostNameSchema,
  ...commandText,
  environment: z.string().max(4096).optional(),
  name: z.string().trim().max(100).optional(),
})
export const adoptInput = z.strictObject({
  host: hostNameSchema,
  port: z.int().min(1).max(65_535),
  apiKey: z.string().max(4096).optional(),
  name: z.string().max(100).optional(),
})
export const saveLaunchInput = z.strictObject({
  id: z.string().max(100).optional(),
  name: z.string().trim().min(1).max(100),
  ...commandText,
  environment: z.string().max(4096).optional(),
})
export const commandInput = z.strictObject(commandText)
export const launchIdInput = z.strictObject({ launchId: z.string().max(100) })
export const savedLaunchIdInput = z.strictObject({ id: z.string().max(100) })
export const logInput = z.strictObject({
  host: hostNameSchema,
  server: z.string().max(100),
  tailBytes: z
    .int()
    .min(0)
    .max(64 * 1024 * 1024)
    .default(1024 * 1024),
})

export interface ServerView {
  server: Server
  state: ServerState
  evidence: string
  health?: 'ok' | 'unhealthy' | 'refused'
}

/** A saved way to start a server. Of its secrets the command holds the names only: `HF_TOKEN=<redacted> vllm serve …`. */
export interface SavedLaunch {
  id: string
  name: string
  command: string
  environment?: string
  lastUsedAt?: string
}

/** A command taken apart, for the form beside it. */
export interface CommandView {
  ok: boolean
  error?: string
  nextStep?: string
  environment: { name: string; value: string; secret: boolean }[]
  model?: string
  flags: { flag: string; value?: string }[]
  warnings: string[]
}

/** A launch on its way. */
export interface LaunchView {
  launchId: string
  host: string
  command: string
  state: 'starting' | 'ready' | 'failed' | 'cancelled'
  startedAt: string
  seconds: number
  server?: Server
  phases: { phase: string; atSeconds: number; detail?: string; progress?: number }[]
  known?: Partial<EngineFacts>
  error?: ErrorInfo
}

/** What a stop did and what it can prove. */
export interface StopView {
  stopped: boolean
  signalled: { pid: number; signal: string; command: string }[]
  /** Processes of the server's session that are still there (empty when stopped). */
  left: { pid: number; command: string }[]
  portFree: boolean
  /** Per GPU, where nvidia-smi tells: memory used before and after. */
  gpuMemory?: { index: number; beforeMiB?: number; afterMiB?: number }[]
  seconds: number
  notes: string[]
}

export interface ServersApi {
  list(input: z.infer<typeof hostOnlyInput>): Promise<ServerView[]>
  parse(input: z.infer<typeof commandInput>): Promise<CommandView>
  /** Returns at once; watch it with `watchLaunch`. */
  launch(input: z.infer<typeof launchInput>): Promise<{ launchId: string }>
  cancelLaunch(input: z.infer<typeof launchIdInput>): Promise<void>
  launches(): Promise<LaunchView[]>
  watchLaunch(input: z.infer<typeof launchIdInput>, signal: AbortSignal): FeedOf<LaunchView, LaunchView>
  /** Text with byte offsets; survives reconnects of the host. */
  log(input: z.infer<typeof logInput>, signal: AbortSignal): AsyncIterable<{ text: string }>
  stop(input: z.infer<typeof serverRefInput>): Promise<StopView>
  adopt(input: z.infer<typeof adoptInput>): Promise<Server>
  savedLaunches(): Promise<SavedLaunch[]>
  saveLaunch(input: z.infer<typeof saveLaunchInput>): Promise<SavedLaunch>
  removeLaunch(input: z.infer<typeof savedLaunchIdInput>): Promise<void>
}
