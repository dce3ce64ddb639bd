import { type ErrorCode, SpeedgridError } from '../../../shared/model/error.ts'
import type { LoopFinding, StreamError } from '../stream/types.ts'

/** Why an attempt (or the wait before it) ended before its time. The first one is the cause. */
export type CutReason =
  | { kind: 'stream'; stream: number; error: StreamError }
  | { kind: 'loop'; stream: number; finding: LoopFinding }
  | { kind: 'failed'; message: string; code?: ErrorCode }
  /** The tunnel broke or stalled: the work at hand says nothing. */
  | { kind: 'link_lost'; reason: string }
  | { kind: 'skip' }
  | { kind: 'pause' }
  | { kind: 'stop'; reason: string }
  | { kind: 'interrupt'; reason: string }

export class Cut extends Error {
  readonly reason: CutReason
  constructor(reason: CutReason) {
    super(reason.kind)
    this.name = 'Cut'
    this.reason = reason
  }
}

/** A domain error inside a piece of work is that work's failure, not the run's; anything else is a bug and goes on up. */
export function asCut(error: unknown): Cut {
  if (error instanceof Cut) return error
  if (error instanceof SpeedgridError) {
    const evidence = error.evidence.length > 0 ? ` (${error.evidence.join('; ').slice(0, 300)})` : ''
    return new Cut({ kind: 'failed', message: `${error.message}${evidence}`, code: error.code })
  }
  throw error
}

export const linkLostText = (reason: string) => `the link to the host was lost: ${reason}`

/** One sentence for people. */
export function cutText(reason: CutReason): string {
  switch (reason.kind) {
    case 'stream':
      return reason.error.message
    case 'failed':
      return reason.message
    case 'link_lost':
      return linkLostText(reason.reason)
    case 'loop':
      return 'a stream repeats itself'
    case 'stop':
    case 'interrupt':
      return reason.reason
    case 'skip':
      return 'skipped by the person'
    default:
      return 'paused by the person'
  }
}
