import { expandHome, flagValue, hasFlag, type LaunchCommand } from '../../shared/command/index.ts'

interface StartArgv {
  argv: string[]
  /** Flags that were added to the person's. */
  added: string[]
  /** Where it can be reached, when that isn't 127.0.0.1. */
  address?: string
}

/** The argument list that is really started: the person's, then what we add unless they gave it. Their --host and --port win. */
export function startArgv(
  command: LaunchCommand,
  options: { program: string; port: number; home: string; version?: string },
): StartArgv {
  const args = command.args.map((arg) => expandHome(arg, options.home))
  const head =
    command.kind === 'vllm' ? [options.program, 'serve'] : [options.program, '-m', 'vllm.entrypoints.openai.api_server']
  const added: string[] = []
  const host = flagValue(args, '--host')
  if (host === undefined) added.push('--host', '127.0.0.1')
  if (flagValue(args, '--port') === undefined) added.push('--port', String(options.port))
  // Both are older than 0.10; of an unknown version nothing is assumed.
  if (isAtLeast(options.version, 0, 10)) {
    const details = '--enable-prompt-tokens-details'
    if (!hasFlag(args, details) && !hasFlag(args, '--no-enable-prompt-tokens-details')) added.push(details)
    const quiet = '--disable-uvicorn-access-log'
    if (!hasFlag(args, quiet) && !hasFlag(args, '--no-disable-uvicorn-access-log')) added.push(quiet)
  }
  const address = reachableAddress(host)
  return { argv: [...head, ...args, ...added], added, ...(address === undefined ? {} : { address }) }
}

function isAtLeast(version: string | undefined, major: number, minor: number): boolean {
  const [, found, then] = /^v?(\d+)\.(\d+)/.exec(version ?? '') ?? []
  return found !== undefined && (Number(found) > major || (Number(found) === major && Number(then) >= minor))
}

/** Loopback and "every address" are reached at 127.0.0.1. */
function reachableAddress(host: string | undefined): string | undefined {
  if (host === undefined || /^(?:|0\.0\.0\.0|127\.0\.0\.1|localhost|::|\[::\])$/.test(host)) return undefined
  return host
}

/** What every server of ours gets unless the person sets it: a log that can be parsed, no telemetry, a readable /proc/PID/environ. */
export function defaultEnvironment(timeoutMs: number): { name: string; value: string }[] {
  return Object.entries({
    NO_COLOR: '1',
    PYTHONUNBUFFERED: '1',
    VLLM_LOGGING_COLOR: '0',
    VLLM_NO_USAGE_STATS: '1',
    // setproctitle writes over the environment otherwise, and with it the marker and the key.
    SPT_NOENV: '1',
    VLLM_ENGINE_READY_TIMEOUT_S: String(Math.max(600, Math.ceil(timeoutMs / 1000))),
  }).map(([name, value]) => ({ name, value }))
}
