import type { ReactNode } from 'react'
import type { FeedState } from '../state/feed.ts'
import { ErrorNotice } from './error-notice.tsx'
import { Loading } from './loading.tsx'

interface FeedGateProps<Value> {
  feed: FeedState<Value>
  /** "the hosts". */
  what: string
  onRetry?: () => void
  children: (value: Value) => ReactNode
}

/** Loading, failed or there: the last value stays on screen while the engine is gone. */
export function FeedGate<Value>({ feed, what, onRetry, children }: FeedGateProps<Value>) {
  if (feed.value !== undefined) return children(feed.value)
  if (feed.error !== undefined) return <ErrorNotice error={feed.error} {...(onRetry === undefined ? {} : { onRetry })} />
  return <Loading what={what} />
}
