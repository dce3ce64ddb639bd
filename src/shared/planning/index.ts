export { type CapacityRule, isOverCapacity, neededKvTokens } from './capacity.ts'
export { type CellsInput, planCells } from './cells.ts'
export { MAX_CONTEXT_MARGIN_TOKENS, maxDecodeContext, type ResolvedContexts, resolveContexts } from './contexts.ts'
export {
  type EstimateKnowledge,
  estimateCellSeconds,
  estimatePrefillSeconds,
  estimateRunSeconds,
  NOTHING_KNOWN,
  type RunEstimateInput,
} from './estimate.ts'
export { type CellOrder, coarseFirst, type GridCell, orderCells } from './order.ts'
export { fitsTimeBudget } from './time-budget.ts'
