import type { SweepView } from '../../../shared/contract/sweeps.ts'
import type { CellRow } from '../../../shared/model/run.ts'

/** A valid cell of tests. */
export const validCell = (contextTokens: number, concurrency: number, change: Partial<CellRow> = {}): CellRow => ({
  contextTokens,
  concurrency,
  status: 'valid',
  flags: [],
  attempts: 1,
  totalTokensPerSecond: 200 * concurrency,
  perRequestTokensPerSecond: 200,
  ttftMs: 40,
  timeBetweenTokensMs: 5,
  ...change,
})

export const sweepView = (change: Partial<SweepView> = {}): SweepView => ({
  runId: 'r1',
  name: 'night',
  state: 'running',
  demo: false,
  link: 'reading',
  contexts: [8192, 0],
  concurrency: [4, 1],
  windowSeconds: 30,
  cells: [],
  prefill: [],
  doneCells: 0,
  totalCells: 4,
  telemetry: [],
  events: [],
  ...change,
})
