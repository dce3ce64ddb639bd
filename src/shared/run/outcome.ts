import type { Attempt } from '../model/cell.ts'
import type { SpoolLine } from '../model/spool.ts'

/** How one try at a cell ended: an attempt without its bulk, or a cell settled without an attempt. */
export type Outcome = Pick<
  Attempt,
  | 'contextTokens'
  | 'concurrency'
  | 'repeat'
  | 'status'
  | 'reason'
  | 'flags'
  | 'figures'
  | 'discarded'
  | 'neededTokens'
  | 'kvTokens'
  | 'phaseSeconds'
  | 'logLines'
  | 'cutBy'
> & { attempt?: number }

export function outcomeOf(line: Extract<SpoolLine, { kind: 'attempt' | 'settled' }>): Outcome {
  if (line.kind === 'settled') {
    const { n: _n, t: _t, m: _m, kind: _kind, ...cell } = line
    return { ...cell, flags: [], figures: {}, phaseSeconds: {} }
  }
  const { startedAt: _from, finishedAt: _to, series: _series, requests: _requests, ...rest } = line.record
  const { rawEvents: _events, loop: _loop, windowOpenMs: _open, windowCloseMs: _close, ...outcome } = rest
  return outcome
}
