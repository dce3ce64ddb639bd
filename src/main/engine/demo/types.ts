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

export type StartDemoHost = (options: { machine: string; port?: number }) => Promise<DemoHostProcess>
