import type { CommandSecret } from '../../shared/command/index.ts'
import type { EngineFacts } from '../../shared/model/engine-facts.ts'
import type { ErrorInfo } from '../../shared/model/error.ts'
import type { Server, ServerState } from '../../shared/model/server.ts'
import type { StopView } from '../../shared/contract/servers.ts'

export interface LaunchRequest {
  host: string
  /** [NAME=value …] vllm serve MODEL --flags, as a person writes it; it is read, and no shell ever sees it. */
  text: string
  /** Secrets of its environment that stand apart from it. */
  secrets?: readonly CommandSecret[]
  /** A `vllm` executable to use instead of the first one found (path, or the name of an environment). */
  environment?: string
  name?: string
  /** How long to wait for readiness; default 60 minutes (big models). */
  timeoutMs?: number
  signal?: AbortSignal
}

/** A start-up phase as the log tells it (docs/vllm.md 5.1). */
interface PhaseEvent {
  kind: 'phase'
  phase: string
  /** Seconds since the launch. */
  atSeconds: number
  detail?: string
  /** 0…1 while a bar is running. */
  progress?: number
}
interface LogEvent {
  kind: 'log'
  line: string
}
export type LaunchEvent = PhaseEvent | LogEvent | { kind: 'started'; server: Server }

export interface LaunchOutcome {
  server: Server
  state: 'ready' | 'failed'
  seconds: number
  phases: { phase: string; atSeconds: number }[]
  /** Known from log and argv: version, KV capacity, max_num_seqs … */
  known: Partial<EngineFacts>
  /** Where it failed: the cause with the lines that say so. Nothing of the failed server is left running. */
  error?: ErrorInfo
}

export interface ServerStatus {
  server: Server
  state: ServerState
  /** How the state was established. */
  evidence: string
  health?: 'ok' | 'unhealthy' | 'refused'
}

/** What `stop` did and what it can prove. */
export type StopReport = StopView

export interface ServersService {
  launch(request: LaunchRequest, onEvent?: (event: LaunchEvent) => void): Promise<LaunchOutcome>
  /** Servers of ours on the host, from the state files there, with their state checked now. */
  list(host: string): Promise<ServerStatus[]>
  /** By id or name; without either the only running one. Throws not_found, naming what is there. */
  find(host: string, idOrName?: string): Promise<ServerStatus>
  /** Log from `offset`; with follow it goes on until the signal aborts. Survives reconnects. */
  log(
    host: string,
    id: string,
    onChunk: (text: string) => void,
    options?: { follow?: boolean; signal?: AbortSignal; tailBytes?: number },
  ): Promise<void>
  stop(host: string, idOrName: string, onEvent?: (text: string) => void): Promise<StopReport>
  /** `user`: the account whose server it is, where that isn't ours and it gets a key. */
  adopt(host: string, port: number, options?: { apiKey?: string; name?: string; user?: string }): Promise<Server>
  /**
   * Read back from /proc/PID/environ of our server; for adopted servers what was given in this process. Never stored. Given out only while
   * the server itself listens at its port: throws `conflict` where somebody else does, `server_gone` where nobody does.
   */
  apiKey(server: Server): Promise<string | undefined>
  /** The same for a key that comes from elsewhere: to be asked before it is sent. */
  confirmListener(server: Server): Promise<void>
  /** What the log and argv of a server of ours tell (KV capacity, version, max_num_seqs), and where it came from (direct_url.json …). */
  known(server: Server): Promise<Partial<EngineFacts>>
  dispose(): Promise<void>
}
