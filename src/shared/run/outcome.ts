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

export type OutcomeLine = Extract<SpoolLine, { kind: 'attempt' | 'settled' }>

export function outcomeOf(line: OutcomeLine): Outcome {
  if (line.kind === 'settled') {
    const { contextTokens, concurrency, repeat, status, reason, neededTokens, kvTokens } = line
    return {
      contextTokens,
      concurrency,
      repeat,
      status,
      reason,
      flags: [],
      figures: {},
      neededTokens,
      kvTokens,
      phaseSeconds: {},
    }
  }
  const { startedAt: _from, finishedAt: _to, series: _series, requests: _requests, ...rest } = line.record
  const { rawEvents: _events, loop: _loop, windowOpenMs: _open, windowCloseMs: _close, ...outcome } = rest
  return outcome
}
