import type { Plan } from '../model/plan.ts'
import type { PlannedCell } from '../model/spool.ts'

/** What is known so far; without it, assumptions stand in and the estimate is rough. */
export interface EstimateKnowledge {
  /** Cold prefill time by context, as far as measured. */
  prefillSeconds: ReadonlyMap<number, number>
  /** Mean seconds of a cell outside its window and cold prefill, as far as measured. */
  cellOverheadSeconds?: number
}

const NOTHING_KNOWN: EstimateKnowledge = { prefillSeconds: new Map() }

const ASSUMED_PREFILL_TOKENS_PER_SECOND = 20_000
const ASSUMED_CELL_OVERHEAD_SECONDS = 2.5
const ASSUMED_START_SECONDS = 3

/** Seconds of one cold prefill: measured, scaled from the nearest measured context, or assumed. */
export function estimatePrefillSeconds(contextTokens: number, knowledge: EstimateKnowledge): number {
  const known = knowledge.prefillSeconds.get(contextTokens)
  if (known !== undefined) return known
  let nearest: { context: number; seconds: number } | undefined
  for (const [context, seconds] of knowledge.prefillSeconds) {
    if (context === 0) continue
    const distance = Math.abs(Math.log(context) - Math.log(Math.max(1, contextTokens)))
    if (nearest === undefined || distance < Math.abs(Math.log(nearest.context) - Math.log(Math.max(1, contextTokens)))) {
      nearest = { context, seconds }
    }
  }
  if (nearest !== undefined) return nearest.seconds * (contextTokens / nearest.context)
  return contextTokens / ASSUMED_PREFILL_TOKENS_PER_SECOND
}

/** Prefills that the first filling of a context costs, by prompt mode; `cold` pays them in every cell. */
function coldPromptsPerCell(plan: Plan, concurrency: number): number {
  return plan.promptMode === 'distinct' || plan.promptMode === 'cold' ? concurrency : 0
}

/** Seconds of one cell without the context's first cold prefill. */
export function estimateCellSeconds(
  plan: Plan,
  cell: { contextTokens: number; concurrency: number },
  knowledge: EstimateKnowledge,
): number {
  const window = plan.targetPrecisionPercent === undefined ? plan.seconds : (plan.maxSeconds ?? plan.seconds)
  const overhead = knowledge.cellOverheadSeconds ?? ASSUMED_CELL_OVERHEAD_SECONDS + Math.max(0, plan.settleSeconds - 1)
  return window + overhead + coldPromptsPerCell(plan, cell.concurrency) * estimatePrefillSeconds(cell.contextTokens, knowledge)
}

interface RunEstimateInput {
  plan: Plan
  cells: PlannedCell[]
  /** Contexts whose prefill still has to be sampled. */
  prefillContexts: number[]
  knowledge?: EstimateKnowledge
}

/** Seconds for everything with verdict `run`, prefill samples and the first filling of each context included. */
export function estimateRunSeconds(input: RunEstimateInput): number {
  const knowledge = input.knowledge ?? NOTHING_KNOWN
  const run = input.cells.filter((cell) => cell.verdict === 'run')
  const decodeContexts = new Set(run.map((cell) => cell.contextTokens))
  let seconds = run.length > 0 || input.prefillContexts.length > 0 ? ASSUMED_START_SECONDS : 0
  for (const cell of run) seconds += estimateCellSeconds(input.plan, cell, knowledge)
  for (const context of decodeContexts) seconds += estimatePrefillSeconds(context, knowledge)
  for (const context of input.prefillContexts) {
    const samples = decodeContexts.has(context) ? input.plan.prefillSamples - 1 : input.plan.prefillSamples
    seconds += samples * estimatePrefillSeconds(context, knowledge)
  }
  return seconds
}
