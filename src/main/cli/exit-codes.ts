import type { ErrorCode } from '../../shared/model/error.ts'

/** A contract with scripts, told in the project's README. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  serverNotStarted: 4,
  errorCells: 5,
  interrupted: 130,
} as const

const BY_CODE: Record<ErrorCode, number> = {
  usage: EXIT.usage,
  plan: EXIT.usage,
  unknown_host: EXIT.usage,
  unreachable: EXIT.unreachable,
  host_key_unknown: EXIT.unreachable,
  host_key_changed: EXIT.unreachable,
  auth: EXIT.unreachable,
  link_lost: EXIT.unreachable,
  server_gone: EXIT.unreachable,
  unauthorized: EXIT.unreachable,
  server_failed: EXIT.serverNotStarted,
  remote: EXIT.failed,
  no_vllm: EXIT.failed,
  no_node: EXIT.failed,
  disk_full: EXIT.failed,
  read_only: EXIT.failed,
  file_limit: EXIT.failed,
  http: EXIT.failed,
  protocol: EXIT.failed,
  not_found: EXIT.failed,
  conflict: EXIT.failed,
  internal: EXIT.failed,
  interrupted: EXIT.interrupted,
}

export function exitCodeOf(code: ErrorCode): number {
  return BY_CODE[code]
}

/** While a server is being started, everything that keeps it from starting means "server did not start", except what has a code of its own. */
export function exitCodeOfLaunchFailure(code: ErrorCode): number {
  const own = exitCodeOf(code)
  return own === EXIT.failed && code !== 'internal' && code !== 'conflict' ? EXIT.serverNotStarted : own
}
