import type { PrefillResult } from '../model/cell.ts'
import type { PrefillRow } from '../model/run.ts'
import { isRunOver, type RunState } from '../model/states.ts'
import { withoutReason } from './cell-row.ts'

/** One row a context: those of the plan, and those a scout measured on the way. */
export function projectPrefill(parts: {
  planned: readonly number[]
  results: readonly PrefillResult[]
  state: RunState
  runReason?: string
}): PrefillRow[] {
  const contexts = [...new Set([...parts.planned, ...parts.results.map((result) => result.contextTokens)])].sort((a, b) => a - b)
  return contexts.map((contextTokens) => {
    const result = best(parts.results.filter((candidate) => candidate.contextTokens === contextTokens))
    const over = isRunOver(parts.state)
    if (result !== undefined) {
      const row = measuredRow(result)
      // Broken off, and sampled again when the run goes on.
      return row.status === 'cancelled' && !over ? { ...row, status: 'pending' } : row
    }
    return {
      contextTokens,
      status: over ? 'cancelled' : 'pending',
      ...(over ? { reason: withoutReason(parts.state, parts.runReason) } : {}),
      flags: [],
      samples: [],
    }
  })
}

/** Valid before not, asked for before found on the way, later before earlier. */
function best(results: PrefillResult[]): PrefillResult | undefined {
  const rank = (result: PrefillResult) => (result.status === 'valid' ? 2 : 0) + (result.source === 'standalone' ? 1 : 0)
  return results.reduce<PrefillResult | undefined>(
    (chosen, result) => (chosen === undefined || rank(result) >= rank(chosen) ? result : chosen),
    undefined,
  )
}

function measuredRow(result: PrefillResult): PrefillRow {
  const { contextTokens, status, reason, flags, source, samples } = result
  const figures = {
    promptTokens: result.promptTokens,
    cachedTokens: result.cachedTokens,
    ttftMs: result.ttftMs,
    tokensPerSecond: result.tokensPerSecond,
    spreadPercent: result.spreadPercent,
  }
  return { contextTokens, status, reason, flags, ...figures, samples, completedRequests: samples.length, source }
}
