import { createContext, use } from 'react'
import { useStore } from 'zustand'
import type { SweepChange } from '../../../../shared/contract/sweeps.ts'
import { createFeed, type FeedState, type FeedStore } from '../../../state/feed.ts'
import type { EngineClient } from '../../../state/trpc.ts'
import { applySweepChange, type SweepState, sweepStateOf } from './sweep-state.ts'

export type SweepFeed = FeedStore<SweepState>

/** One subscription a screen, whatever is shown of it. */
export function createSweepFeed(client: Pick<EngineClient, 'sweeps'>, runId: string): SweepFeed {
  return createFeed<SweepState, SweepChange>(
    (on) =>
      client.sweeps.watch.subscribe(
        { runId },
        {
          ...on,
          onData: (message) => {
            on.onData(message.kind === 'snapshot' ? { ...message, value: sweepStateOf(message.value) } : message)
          },
        },
      ),
    applySweepChange,
  )
}

export const SweepFeedContext = createContext<SweepFeed | undefined>(undefined)

export function useSweepFeed(): SweepFeed {
  const feed = use(SweepFeedContext)
  if (feed === undefined) throw new Error('no SweepFeedContext above this component')
  return feed
}

/** What the selector picks, compared by identity: pick parts of the state, don't build new ones. Only inside a sweep that has arrived. */
export function useSweep<Part>(select: (state: SweepState) => Part): Part {
  return useStore(useSweepFeed(), (state: FeedState<SweepState>) => {
    if (state.value === undefined) throw new Error('the sweep has not arrived yet')
    return select(state.value)
  })
}
