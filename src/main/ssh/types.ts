import type { Duplex } from 'node:stream'

/** What one remote command said. `code` is null where a signal ended it. */
export interface ExecResult {
  code: number | null
  signal?: string
  stdout: string
  stderr: string
}

export interface ExecOptions {
  /** Written to the command's standard input, which is then closed. The only way for a secret to reach a command. */
  stdin?: string | Buffer
  timeoutMs?: number
  /** Each of stdout and stderr is cut beyond this; default 4 MiB. */
  maxOutputBytes?: number
  signal?: AbortSignal
}

export interface RemoteFile {
  size: number
  mode: number
  mtimeMs: number
  isDirectory: boolean
}

/** Files over SFTP. Paths are absolute, or relative to the home folder. Errors are SpeedgridErrors (not_found, disk_full, read_only, remote). */
export interface RemoteFiles {
  /** Writes to a temporary name beside the path and renames, so that nobody ever sees half a file. */
  write(path: string, data: string | Buffer, mode: number): Promise<void>
  /** Sends a local file the same way. */
  send(localPath: string, path: string, mode: number): Promise<void>
  append(path: string, data: string): Promise<void>
  /** Bytes from `offset`, at most `maxBytes` (default 1 MiB); an empty buffer at the end of the file. */
  read(path: string, offset?: number, maxBytes?: number): Promise<Buffer>
  /** undefined where nothing is there. */
  stat(path: string): Promise<RemoteFile | undefined>
  list(path: string): Promise<string[]>
  makeFolder(path: string, mode: number): Promise<void>
  remove(path: string): Promise<void>
}

/** down: broken or stalled, and watched until it is back. lost: not tried any more. */
export interface TunnelState {
  state: 'up' | 'down' | 'lost'
  reason?: string
}

/** A tunnel: a local Unix socket (named pipe on Windows) in a 0700 folder, behind which sits one port of the host. */
export interface Tunnel {
  socketPath: string
  readonly state: TunnelState
  /** Told before the connections that a break takes with it are closed. */
  onStateChange(listener: (state: TunnelState) => void): () => void
  /** A connection to the socket was turned away because this process has no room for another open file. */
  onFull(listener: (reason: string) => void): () => void
  dispose(): Promise<void>
}

export interface TunnelOptions {
  /** How many at once; default 1. */
  streams?: number
  /** On the host; default 127.0.0.1. */
  address?: string
  /** Asked before the first stream of each data connection, and again after a stream was refused or ended from the host: throws where nothing may go through. */
  confirm?: () => Promise<void>
}

/**
 * One control connection to a host, kept open between the commands of one engine. It reconnects by itself with back-off; a call
 * made while it is down waits for the reconnect, and fails with `link_lost` when that gives up.
 */
export interface HostLink {
  readonly hostName: string
  /** Runs an argument list (quoted by us, never by the caller) with the account's shell. */
  exec(argv: readonly string[], options?: ExecOptions): Promise<ExecResult>
  /** Runs a POSIX sh script given over standard input: `sh -s -- ARGS`. Not for secrets in args. */
  script(script: string, args?: readonly string[], options?: Omit<ExecOptions, 'stdin'>): Promise<ExecResult>
  /** Starts a command whose output is read as it comes (nvidia-smi loops). */
  stream(argv: readonly string[], onStdout: (chunk: Buffer) => void): Promise<{ done: Promise<ExecResult>; dispose(): void }>
  readonly files: RemoteFiles
  /** A raw connection to 127.0.0.1:port of the host (or another address it can reach). */
  connect(port: number, address?: string): Promise<Duplex>
  /** Separate data connections with the no-delay treatment; one for each 64 streams asked for. */
  tunnel(port: number, options?: TunnelOptions): Promise<Tunnel>
  /** Called on every change: up, down (with why), reconnecting. */
  onStateChange(listener: (state: LinkState) => void): () => void
  dispose(): Promise<void>
}

export interface LinkState {
  state: 'connected' | 'reconnecting' | 'closed'
  reason?: string
}

/**
 * How the person is asked. A front door without a person answers undefined, and the caller fails with a clear error. When `signal`
 * aborts, the connection that the question was for is gone (its reason says why, for people): the question is taken away.
 */
export interface Prompter {
  /** Password, passphrase or one-time code; `prompt` says for which host (hop) and key. */
  secret(prompt: string, options?: { echo?: boolean; signal?: AbortSignal }): Promise<string | undefined>
  /** An unknown host key: true to trust it from now on. */
  trustHostKey(
    question: { host: string; keyType: string; fingerprint: string },
    options?: { signal?: AbortSignal },
  ): Promise<boolean | undefined>
}
