/**
 * How a subscription speaks: a snapshot first, then numbered changes. `rev` grows by exactly one from the snapshot's on; whoever sees a gap
 * asks again. At most 20 messages a second; what happened in between is folded into one change.
 */
export type Feed<Value, Change> =
  | { kind: 'snapshot'; rev: number; value: Value }
  | { kind: 'change'; rev: number; change: Change }
export type FeedOf<Value, Change> = AsyncIterable<Feed<Value, Change>>
