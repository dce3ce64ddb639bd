import type { Attempt } from '../model/cell.ts'
import type { SpoolLine } from '../model/spool.ts'
import type { Outcome } from './run-parts.ts'

/** An attempt without its bulk. */
export function outcomeOfAttempt(attempt: Attempt): Outcome {
  const { contextTokens, concurrency, repeat, status, reason, flags, figures, discarded, neededTokens, kvTokens } = attempt
  const { phaseSeconds, logLines, cutBy } = attempt
  return {
    contextTokens,
    concurrency,
    repeat,
    attempt: attempt.attempt,
    status,
    reason,
    flags,
    figures,
    discarded,
    neededTokens,
    kvTokens,
    phaseSeconds,
    logLines,
    cutBy,
  }
}

/** A cell that ended without an attempt. */
export function outcomeOfSettled(line: Extract<SpoolLine, { kind: 'settled' }>): Outcome {
  const { contextTokens, concurrency, repeat, status, reason, neededTokens, kvTokens } = line
  return { contextTokens, concurrency, repeat, status, reason, flags: [], figures: {}, neededTokens, kvTokens, phaseSeconds: {} }
}
