import { createStore } from 'zustand/vanilla'
import type { SweepView } from '../../../../shared/contract/sweeps.ts'
import type { RunDocument } from '../../../../shared/model/run.ts'
import type { FeedState } from '../../../state/feed.ts'
import type { SweepFeed } from '../../sweep/state/sweep-feed.ts'
import { sweepStateOf, type SweepState } from '../../sweep/state/sweep-state.ts'

/** A run that is over, as the grid of a sweep takes it. */
export function viewOfDocument(run: RunDocument): SweepView {
  const model = run.engine?.model ?? run.engine?.servedModel
  return {
    runId: run.id,
    name: run.name,
    state: run.state,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    demo: run.demo || run.engine?.demo === true,
    ...(run.host === undefined ? {} : { host: run.host.name }),
    ...(model === undefined ? {} : { model }),
    place: run.path.driver,
    link: 'not_attached',
    contexts: unique([...run.cells, ...run.prefill].map((row) => row.contextTokens)),
    concurrency: unique(run.cells.map((cell) => cell.concurrency)),
    windowSeconds: run.plan.seconds,
    cells: run.cells,
    prefill: run.prefill,
    doneCells: run.cells.filter((cell) => cell.status !== 'pending').length,
    totalCells: run.cells.length,
    ...(run.startedAt === undefined ? {} : { startedAt: run.startedAt }),
    ...(run.finishedAt === undefined ? {} : { finishedAt: run.finishedAt }),
    telemetry: [],
    events: run.events,
  }
}

/** Nothing changes in it any more, so nothing is subscribed to. */
export function feedOfDocument(run: RunDocument): SweepFeed {
  const store = createStore<FeedState<SweepState>>()(() => ({ status: 'live', value: sweepStateOf(viewOfDocument(run)) }))
  return { ...store, use: () => () => {}, ask: () => {} }
}

const unique = (values: readonly number[]) => [...new Set(values)]
