import type { Plan } from '../model/plan.ts'
import type { PlannedCell } from '../model/spool.ts'
import { isOverCapacity, neededKvTokens } from './capacity.ts'
import { thousands } from './thousands.ts'
import { coarseFirst, orderCells } from './order.ts'

interface CellsInput {
  plan: Pick<Plan, 'concurrency' | 'maxOutputTokens' | 'capacity' | 'order' | 'repeats' | 'timeBudgetMinutes'>
  /** Resolved contexts in tokens. */
  contexts: number[]
  kvTokens: number | undefined
  done?: { contextTokens: number; concurrency: number; repeat: number }[]
}

const key = (cell: { contextTokens: number; concurrency: number; repeat: number }) =>
  `${cell.contextTokens}/${cell.concurrency}/${cell.repeat}`

function overCapacityReason(
  plan: CellsInput['plan'],
  contextTokens: number,
  concurrency: number,
  need: number,
  kvTokens: number,
) {
  const sum =
    plan.capacity === 'shared'
      ? `${thousands(contextTokens)} + ${concurrency} × ${thousands(plan.maxOutputTokens)}`
      : `${concurrency} × (${thousands(contextTokens)} + ${thousands(plan.maxOutputTokens)})`
  return `needs ${thousands(need)} KV tokens (${sum}), the server has ${thousands(kvTokens)}`
}

/**
 * Every cell of the plan in measuring order with its verdict. Repeats are passes over the whole grid (1, 2, …), so that the grid is
 * full after the first pass and repeats of a cell are far apart in time.
 */
export function planCells(input: CellsInput): PlannedCell[] {
  const { plan, contexts, kvTokens } = input
  const ordered = orderCells(plan.order, contexts, plan.concurrency, plan.maxOutputTokens)
  const pass = plan.timeBudgetMinutes === undefined ? ordered : coarseFirst(ordered, contexts, plan.concurrency)
  const done = new Set((input.done ?? []).map(key))
  const cells: PlannedCell[] = []
  for (let repeat = 1; repeat <= plan.repeats; repeat += 1) {
    for (const { contextTokens, concurrency } of pass) {
      const neededTokens = neededKvTokens(plan.capacity, contextTokens, concurrency, plan.maxOutputTokens)
      const cell = { contextTokens, concurrency, repeat, neededTokens, ...(kvTokens === undefined ? {} : { kvTokens }) }
      if (done.has(key(cell))) cells.push({ ...cell, verdict: 'done' })
      else if (kvTokens !== undefined && isOverCapacity(plan.capacity, cell, plan.maxOutputTokens, kvTokens)) {
        const reason = overCapacityReason(plan, contextTokens, concurrency, neededTokens, kvTokens)
        cells.push({ ...cell, verdict: 'over_capacity', reason })
      } else cells.push({ ...cell, verdict: 'run' })
    }
  }
  return cells
}
