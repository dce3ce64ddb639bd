import type { FromEngine } from '../../../shared/contract/engine-process.ts'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import type { EngineLife } from '../bridge/envelope.ts'

/** The way to an engine: its own process, or another engine's WebSocket. Connections are numbered by the caller, never twice. */
export interface EngineLink {
  readonly state: EngineLife
  open(connection: number): void
  send(connection: number, data: string): void
  close(connection: number): void
  /** Resolves when nothing of it is left. */
  dispose(): Promise<void>
}

export interface EngineLinkEvents {
  state: (state: EngineLife) => void
  data: (connection: number, data: string) => void
  /** The engine's side ended it; the page has to start a new one. */
  closed: (connection: number) => void
}

/** What only an engine of ours tells. */
export interface OwnEngineEvents extends EngineLinkEvents {
  sweeps: (sweeps: Extract<FromEngine, { kind: 'sweeps' }>['sweeps']) => void
  ended: (run: Extract<FromEngine, { kind: 'ended' }>) => void
  /** It can't start; it is tried again, more slowly. */
  failed: (error: ErrorInfo) => void
}
