import type { StartDemoHost } from '../engine/demo/types.ts'
import type { Engine } from '../engine/types.ts'
import type { StartedServe } from '../serve/types.ts'
import type { Prompter } from '../ssh/types.ts'

/** A standard stream as the commands need it; process.stdout and process.stderr are ones. */
export interface OutputStream {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  rows?: number
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

export interface InputStream {
  isTTY?: boolean
  setRawMode?(on: boolean): unknown
  resume(): unknown
  pause(): unknown
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown
}

/** Ctrl-C and SIGTERM (`interrupt`), and a terminal that went away (`hangup`). Returns how to stop listening. */
export type SignalSource = (listener: (kind: 'interrupt' | 'hangup') => void) => () => void

/**
 * Errors that nothing caught (a callback of a library threw). `contained`: it belonged to one connection, which was ended; the rest goes on.
 * Returns how to stop listening.
 */
export type BugSource = (listener: (error: unknown, contained: boolean) => void) => () => void

/** Everything outside that a command touches, so that tests can run commands in process. */
export interface CliDeps {
  version: string
  stdout: OutputStream
  stderr: OutputStream
  stdin: InputStream
  env: Record<string, string | undefined>
  cwd: string
  homeDir: string
  platform: NodeJS.Platform
  onSignal: SignalSource
  onBug: BugSource
  /** Leaves at once. */
  exitNow(code: number): void
  now(): number
  createEngine(options: { dataDir: string; prompter: Prompter; homeDir: string }): Promise<Engine>
  startDemoHost: StartDemoHost
  startServe: (options: { dataDir: string; port?: number; log: (text: string) => void }) => Promise<StartedServe>
}
