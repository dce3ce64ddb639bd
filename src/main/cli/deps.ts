import type { Engine } from '../engine/types.ts'
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

/** What the demo host prints when it is ready. */
export interface DemoHostReady {
  machine: string
  address: string
  port: number
  user: string
  clientKeyPath: string
  hostKeyFingerprint: string
  hostKeyLine: string
  /** A launch command that works there. */
  launchWords: string[]
}

/** The demo lab machine as a child process that ends when its standard input does. */
export interface DemoHostProcess {
  ready: DemoHostReady
  /** Resolves when the process is gone, with what it last said on standard error. */
  exited: Promise<string>
  dispose(): Promise<void>
}

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
  /** Leaves at once. */
  exitNow(code: number): void
  now(): number
  createEngine(options: { dataDir: string; prompter: Prompter; homeDir: string }): Promise<Engine>
  startDemoHost(options: { machine: string; port?: number }): Promise<DemoHostProcess>
}
