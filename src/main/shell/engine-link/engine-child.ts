import type { FromShell } from '../../../shared/contract/engine-process.ts'

/** One run of the engine's process, whichever way it was started. */
export interface EngineChild {
  send(message: FromShell): void
  kill(): void
}

interface EngineChildEvents {
  /** Not yet checked. */
  message: (message: unknown) => void
  /** What it said on standard error. */
  complaint: (text: string) => void
  exit: (how: string) => void
}

export type StartEngineChild = (events: EngineChildEvents) => EngineChild
