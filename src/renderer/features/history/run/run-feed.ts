import { createStore } from 'zustand/vanilla'
import type { RunRow } from '../../../../shared/contract/runs.ts'
import type { RunDocument } from '../../../../shared/model/run.ts'
import { viewOfDocument } from '../../../../shared/run/index.ts'
import type { FeedState } from '../../../state/feed.ts'
import type { SweepFeed } from '../../sweep/state/sweep-feed.ts'
import { sweepStateOf, type SweepState } from '../../sweep/state/sweep-state.ts'

/** A run that is over, as the grid of a sweep takes it. Nothing changes in it any more, so nothing is subscribed to. */
export function feedOfDocument(run: RunDocument, row: Pick<RunRow, 'cellsDone' | 'cellsTotal'>): SweepFeed {
  const view = viewOfDocument(run, { doneCells: row.cellsDone, totalCells: row.cellsTotal })
  // A context may have been sampled alone.
  const contexts = [...new Set([...view.contexts, ...view.prefill.map((prefill) => prefill.contextTokens)])]
  const store = createStore<FeedState<SweepState>>()(() => ({ status: 'live', value: sweepStateOf({ ...view, contexts }) }))
  return { ...store, use: () => () => {}, ask: () => {} }
}
