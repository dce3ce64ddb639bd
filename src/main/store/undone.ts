import type { EngineFacts } from '../../shared/model/engine-facts.ts'
import type { Plan } from '../../shared/model/plan.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import { contextsOf, mergePlanned } from '../../shared/run/index.ts'
import type { Database } from './database.ts'

type PlannedLine = Extract<SpoolLine, { kind: 'planned' }>
interface Cell {
  contextTokens: number
  concurrency: number
  repeat: number
}

const keyOf = (cell: Cell) => `${String(cell.contextTokens)}/${String(cell.concurrency)}/${String(cell.repeat)}`
/** What is left of a try that was broken off is no outcome. */
const DECIDED = "status NOT IN ('cancelled', 'pending')"

/** What of a run has no outcome yet, as half a sentence; undefined where nothing is missing. */
export function describeUndone(database: Database, runId: string): string | undefined {
  const row = database.get<{ plan: string; engine: string | null }>('SELECT plan, engine FROM runs WHERE id = ?', runId)
  if (row === undefined) return undefined
  const plan = JSON.parse(row.plan) as Plan
  const engine = row.engine === null ? {} : { engine: JSON.parse(row.engine) as EngineFacts }
  const planned = database
    .all<{ json: string }>("SELECT json FROM spool WHERE run_id = ? AND kind = 'planned' ORDER BY n", runId)
    .map((line) => JSON.parse(line.json) as PlannedLine)
  const { contexts, prefillContexts } = contextsOf({ plan, planned, ...engine })
  const cells = planned.length > 0 ? mergePlanned({ planned }) : allCells(contexts, plan)

  const decided = new Set(
    database
      .all<{ contextTokens: number; concurrency: number; repeat: number }>(
        `SELECT DISTINCT context_tokens AS contextTokens, concurrency, repeat FROM outcomes WHERE run_id = ? AND ${DECIDED}`,
        runId,
      )
      .map(keyOf),
  )
  const undone = cells.filter((cell) => cell.verdict !== 'over_capacity' && !decided.has(keyOf(cell))).length
  const sampled = new Set(
    database
      .all<{ context_tokens: number }>(`SELECT DISTINCT context_tokens FROM prefills WHERE run_id = ? AND ${DECIDED}`, runId)
      .map((prefill) => prefill.context_tokens),
  )
  const unsampled = prefillContexts.filter((context) => !sampled.has(context)).length

  const parts: string[] = []
  if (undone > 0) parts.push(`${String(undone)} of ${String(cells.length)} cells`)
  if (unsampled > 0) parts.push(`${String(unsampled)} of ${String(prefillContexts.length)} prefills`)
  return parts.length === 0 ? undefined : `${parts.join(' and ')} have no result here`
}

function allCells(contexts: number[], plan: Plan): (Cell & { verdict: 'run' | 'over_capacity' | 'done' })[] {
  const repeats = Array.from({ length: plan.repeats }, (_, index) => index + 1)
  return contexts.flatMap((contextTokens) =>
    plan.concurrency.flatMap((concurrency) =>
      repeats.map((repeat) => ({ contextTokens, concurrency, repeat, verdict: 'run' as const })),
    ),
  )
}
