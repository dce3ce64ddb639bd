import type { CellRow, PrefillRow } from '../../model/run.ts'
import { projectCell } from '../cell-row.ts'
import { projectPrefill } from '../prefill-rows.ts'
import { contextsOf, mergePlanned } from '../run-document.ts'
import { cellKey, type SweepModel } from './model.ts'

/** Rows are made by the code that makes the document, so that live figures and those of the report can't differ. */
export function projectCells(model: SweepModel, which?: { contextTokens: number; concurrency: number }): CellRow[] {
  const { view, plan } = model
  const keys = which === undefined ? grid(view.contexts, plan.concurrency) : [which]
  const planned = Map.groupBy(mergePlanned({ planned: [...model.planned] }), cellKey)
  const outcomes = Map.groupBy(model.outcomes, cellKey)
  return keys.map((cell) =>
    lean(
      projectCell({
        contextTokens: cell.contextTokens,
        concurrency: cell.concurrency,
        outcomes: outcomes.get(cellKey(cell)) ?? [],
        planned: planned.get(cellKey(cell)) ?? [],
        repeats: plan.repeats,
        state: view.state,
        ...(view.reason === undefined ? {} : { runReason: view.reason }),
        speculative: model.speculative,
      }),
    ),
  )
}

/** As the driver resolved them; before it has, as far as the plan and the server tell. */
export function contextsOfModel({ plan, planned, maxModelLen }: SweepModel): { contexts: number[]; prefillContexts: number[] } {
  return contextsOf({ plan, planned, ...(maxModelLen === undefined ? {} : { engine: { maxModelLen } }) })
}

export function projectPrefills(model: SweepModel): PrefillRow[] {
  const { view, prefills } = model
  const planned = contextsOfModel(model).prefillContexts
  const reason = view.reason === undefined ? {} : { runReason: view.reason }
  return projectPrefill({ planned, results: [...prefills], state: view.state, ...reason }).map(lean)
}

/** Those rows that are not as they were. */
export function changedRows<Row>(before: readonly Row[], after: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const known = new Map(before.map((row) => [keyOf(row), JSON.stringify(row)]))
  return after.filter((row) => known.get(keyOf(row)) !== JSON.stringify(row))
}

function grid(contexts: readonly number[], concurrency: readonly number[]) {
  return contexts.flatMap((contextTokens) => concurrency.map((level) => ({ contextTokens, concurrency: level })))
}

/** As the document has it: what is undefined isn't there. */
function lean<Row>(row: Row): Row {
  return JSON.parse(JSON.stringify(row)) as Row
}
