export { type GridCell, cellKey, countCells, describeUndone, isResult, type ProgressParts, tryKey } from './grid.ts'
export { type Outcome, outcomeOf } from './outcome.ts'
export { countsText } from './counts-text.ts'
export { projectRun } from './run-document.ts'
export { headAfter, modelOf, placeOf, type RunHead, stateAfter } from './run-head.ts'
export type { RunParts } from './run-parts.ts'
export { applyLine, newsOf } from './view/apply-line.ts'
export {
  applyChange,
  EVENTS_KEPT,
  isEmpty,
  mergeChanges,
  RATES_KEPT,
  type SweepModel,
  TELEMETRY_KEPT_MS,
  weighChange,
} from './view/model.ts'
export { seedModel, type SweepLog, viewOfDocument } from './view/seed.ts'
