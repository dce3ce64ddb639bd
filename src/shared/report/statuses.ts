import type { CellStatus } from '../model/cell.ts'
import type { Plan } from '../model/plan.ts'
import type { RunDocument } from '../model/run.ts'
import type { Pair } from './types.ts'

export const STATUS_LABELS: Record<CellStatus, string> = {
  valid: 'Valid',
  looped: 'Looped',
  over_capacity: 'Over capacity',
  error: 'Error',
  skipped: 'Skipped',
  cancelled: 'Cancelled',
  pending: 'Pending',
}

const EXPLANATIONS: Partial<Record<CellStatus, string>> = {
  looped: 'an answer went round in circles, repeating the same text exactly, so this measurement was thrown away.',
  over_capacity: 'not started, because so many requests of this length need more room than the KV cache of the server has.',
  error: 'the measurement failed; the first cause is given below. A failed request never counts as a fast one.',
  skipped: 'left out by the person or by the plan.',
  cancelled: 'the run was ended while this was being measured or before.',
  pending: 'not measured yet.',
}

/** Explains the statuses that occur in this run, and only those. */
export function statusNotes(run: RunDocument): Pair[] {
  const seen = new Set([...run.cells, ...run.prefill].map((row) => row.status))
  return Object.entries(EXPLANATIONS)
    .filter(([status]) => seen.has(status as CellStatus))
    .map(([status, text]) => ({ label: STATUS_LABELS[status as CellStatus], text }))
}

/** What TTFT contains depends on whether the prompts were in the server's cache. */
export function ttftNote(mode: Plan['promptMode']): string {
  if (mode === 'cold') return 'TTFT contains the whole prefill: no prompt of this run was in the cache of the server.'
  if (mode === 'shared-prefix') {
    return 'TTFT is taken with the document in the prompt cache of the server, so it contains the prefill of the task behind it only.'
  }
  return 'TTFT is taken with the prompt in the cache of the server already, so there is hardly any prefill in it.'
}

export const MEASUREMENTS_NOTE =
  'Latencies are medians over requests. Total tok/s counts the output of all simultaneous requests together.'
