import type { CellStatus, PrefillResult } from '../model/cell.ts'
import type { CellRow, PrefillRow } from '../model/run.ts'
import type { PlannedCell } from '../model/spool.ts'
import { resolveContexts } from '../planning/index.ts'
import { projectCell } from './cell-row.ts'
import type { Outcome } from './outcome.ts'
import { projectPrefill } from './prefill-rows.ts'
import type { RunSaid } from './run-parts.ts'

export interface GridCell {
  contextTokens: number
  concurrency: number
}
interface Contexts {
  contexts: number[]
  prefillContexts: number[]
}
type Shape = Pick<RunSaid, 'plan' | 'planned' | 'engine'>
/** What is needed to know how far a run is; the store reads no more than this. */
export interface ProgressParts extends Shape {
  outcomes: readonly (GridCell & Pick<Outcome, 'repeat' | 'status'>)[]
  prefills: readonly Pick<PrefillResult, 'contextTokens' | 'status'>[]
}

export const cellKey = (cell: GridCell): string => `${String(cell.contextTokens)}/${String(cell.concurrency)}`
export const tryKey = (cell: GridCell & { repeat: number }): string => `${cellKey(cell)}/${String(cell.repeat)}`

/** As the driver resolved them; before it has, as far as the plan and the server tell. */
function resolvedContexts({ plan, planned, engine }: Shape): Contexts | undefined {
  const said = planned.at(-1)
  if (said !== undefined) return said
  try {
    return resolveContexts(plan, engine?.maxModelLen)
  } catch {
    return undefined
  }
}

export function contextsOf(shape: Shape): Contexts {
  const numbers = (list: (number | 'max')[]) => list.filter((context) => context !== 'max')
  const { contexts, prefillContexts } = shape.plan
  return resolvedContexts(shape) ?? { contexts: numbers(contexts), prefillContexts: numbers(prefillContexts) }
}

/** Row by row; `only` this cell where it is one of the grid's. */
export function cellRows(said: RunSaid, only?: GridCell): CellRow[] {
  const planned = Map.groupBy(mergePlanned(said), cellKey)
  const outcomes = Map.groupBy(said.outcomes, cellKey)
  const grid = contextsOf(said).contexts.flatMap((contextTokens) =>
    said.plan.concurrency.map((concurrency) => ({ contextTokens, concurrency })),
  )
  return grid
    .filter((cell) => only === undefined || cellKey(cell) === cellKey(only))
    .map((cell) =>
      lean(
        projectCell({
          ...cell,
          outcomes: outcomes.get(cellKey(cell)) ?? [],
          planned: planned.get(cellKey(cell)) ?? [],
          repeats: said.plan.repeats,
          state: said.state,
          runReason: said.reason,
          speculative: said.engine?.speculative === true,
        }),
      ),
    )
}

export function prefillRows(said: RunSaid): PrefillRow[] {
  const { prefillContexts: planned } = contextsOf(said)
  return projectPrefill({ planned, results: said.prefills, state: said.state, runReason: said.reason }).map(lean)
}

/** A resumed driver plans anew and calls what is finished `done`: the earlier verdict says more. */
function mergePlanned({ planned }: Pick<RunSaid, 'planned'>): PlannedCell[] {
  const byKey = new Map<string, PlannedCell>()
  for (const cell of planned.flatMap((line) => line.cells)) {
    if (cell.verdict !== 'done' || !byKey.has(tryKey(cell))) byKey.set(tryKey(cell), cell)
  }
  return [...byKey.values()]
}

/** What is left of a try that was broken off is no result: it is measured again when the run goes on. */
export const isResult = (row: { status: CellStatus }) => row.status !== 'cancelled' && row.status !== 'pending'

/** Each repeat of each cell of the grid, and whether it has a result or needs none. */
function triesOf(parts: ProgressParts): (GridCell & { isDone: boolean })[] {
  const results = new Set(parts.outcomes.filter(isResult).map(tryKey))
  const over = new Set(
    mergePlanned(parts)
      .filter((cell) => cell.verdict === 'over_capacity')
      .map(tryKey),
  )
  return plannedTries(parts).map((cell) => ({ ...cell, isDone: results.has(tryKey(cell)) || over.has(tryKey(cell)) }))
}

/** As the driver announced them; before it has, all that the plan asks for. */
function plannedTries(parts: Shape): (GridCell & { repeat: number })[] {
  const { contexts } = contextsOf(parts)
  if (parts.planned.length > 0) return mergePlanned(parts).filter((cell) => contexts.includes(cell.contextTokens))
  const repeats = Array.from({ length: parts.plan.repeats }, (_, index) => index + 1)
  return contexts.flatMap((contextTokens) =>
    parts.plan.concurrency.flatMap((concurrency) => repeats.map((repeat) => ({ contextTokens, concurrency, repeat }))),
  )
}

/** The one count of a run's cells: those of its grid, each done when all its repeats have a result. */
export function countCells(parts: ProgressParts): { doneCells: number; totalCells: number } {
  const cells = [...Map.groupBy(triesOf(parts), cellKey).values()]
  const contexts = resolvedContexts(parts)?.contexts ?? parts.plan.contexts
  return {
    doneCells: cells.filter((tries) => tries.every(({ isDone }) => isDone)).length,
    totalCells: contexts.length * parts.plan.concurrency.length,
  }
}

/** What of a run has no result yet, as half a sentence; undefined where nothing is missing. */
export function describeUndone(parts: ProgressParts): string | undefined {
  const tries = triesOf(parts)
  const undone = tries.filter(({ isDone }) => !isDone).length
  const { prefillContexts } = contextsOf(parts)
  const sampled = new Set(parts.prefills.filter(isResult).map((prefill) => prefill.contextTokens))
  const unsampled = prefillContexts.filter((context) => !sampled.has(context)).length
  const lacks: string[] = []
  if (undone > 0) lacks.push(`${String(undone)} of ${String(tries.length)} cells`)
  if (unsampled > 0) lacks.push(`${String(unsampled)} of ${String(prefillContexts.length)} prefills`)
  return lacks.length === 0 ? undefined : `${lacks.join(' and ')} have no result here`
}

/** As the document has it: what is undefined isn't there. */
export function lean<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}
