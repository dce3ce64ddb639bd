import type { EventLog } from './event-log.ts'
import type { Phases } from './phases.ts'
import type { CellPlace } from './prompt-book.ts'
import type { StreamSet } from './streams.ts'
import type { SweepContext } from './sweep-context.ts'

const PERIOD_MS = 500

/** Says twice a second how a filling or measured cell is doing, until the returned function is called. */
export function showLive(options: {
  context: Pick<SweepContext, 'clock' | 'write' | 'counting'>
  place: CellPlace
  phases: Phases
  log: EventLog
  streams: StreamSet
  openMs: () => number | undefined
}): () => void {
  const { context, place, phases, log, streams } = options
  const { clock, write } = context
  let lastMs = clock.now()
  let lastTokens = 0
  let openTokens: number | undefined
  return clock.every(PERIOD_MS, () => {
    if (phases.current !== 'fill' && phases.current !== 'window') return
    const now = clock.now()
    const openMs = options.openMs()
    if (openMs !== undefined) openTokens ??= lastTokens
    // Events whose unit isn't known are no tokens: better no rate than a wrong one.
    const isCounted = streams.requests.every(({ result }) => result.firstEventMs === undefined || result.tokenSource === 'usage')
    const isKnown = context.counting.oneTokenAnEvent || isCounted
    const rate = isKnown ? ((log.tokens - lastTokens) * 1000) / Math.max(1, now - lastMs) : 0
    lastMs = now
    lastTokens = log.tokens
    write({
      kind: 'live',
      contextTokens: place.contextTokens,
      concurrency: place.concurrency,
      phase: phases.current,
      tokensPerSecond: Math.round(rate * 10) / 10,
      activeStreams: streams.decoding,
      windowSeconds: openMs === undefined ? 0 : Math.round(now - openMs) / 1000,
      outputTokens: openTokens === undefined || !isKnown ? 0 : log.tokens - openTokens,
    })
  })
}
