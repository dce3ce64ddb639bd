import { abortable } from './abortable.ts'
import type { DriverClient } from '../stream/types.ts'
import { minimumCachedTokens } from './figures/flags.ts'
import type { MetricsFeed } from './metrics-feed.ts'
import { type CachedResult, sendOne, sendWithCacheCheck } from './probe-request.ts'
import type { CellPlace, PromptBook } from './prompt-book.ts'

export interface ScoutDeps {
  client: DriverClient
  feed: MetricsFeed
  book: PromptBook
}

interface ScoutResult {
  /** The first request, where this driver had not sent the context's prompt before: a cold prefill. */
  cold?: CachedResult
  /** Why no cache hit was seen although it could have been. */
  missed?: string
  /** The prompt's length by the last one's usage. */
  promptTokens?: number
}

/** Hybrid models may miss until the third sighting (docs/published-method.md 7). */
const MAX_SCOUTS = 3
const DISTINCT_AT_ONCE = 4

/** Fills the cache with the prompt that all streams of the cell share, and confirms the hit where it can be seen. */
export async function scoutShared(
  deps: ScoutDeps,
  place: CellPlace,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<ScoutResult> {
  const request = await abortable(deps.book.scout(place, 0), signal)
  let cold: CachedResult | undefined
  let last: CachedResult | undefined
  const outcome = (missed?: string): ScoutResult => ({
    ...(cold ? { cold } : {}),
    ...(missed === undefined ? {} : { missed }),
    ...(last?.result.promptTokens === undefined ? {} : { promptTokens: last.result.promptTokens }),
  })
  const sightings = isFirst ? MAX_SCOUTS + 1 : MAX_SCOUTS
  for (let sighting = 1; sighting <= sightings; sighting += 1) {
    last = await sendWithCacheCheck(deps.client, deps.feed, request, signal)
    if (isFirst && sighting === 1) cold = last
    if (last.cachedTokens === undefined) break
    const prompt = last.result.promptTokens ?? place.contextTokens
    if (last.cachedTokens >= minimumCachedTokens(prompt)) return outcome()
  }
  const missed =
    last?.cachedTokens === undefined
      ? undefined
      : `no cache hit after ${sightings} scouts: ${last.cachedTokens} cached tokens at the last one`
  return outcome(missed)
}

/** `distinct`: warms each stream's own prompt that wasn't warmed yet, a few at a time. */
export async function scoutDistinct(deps: ScoutDeps, place: CellPlace, warmed: Set<number>, signal: AbortSignal): Promise<void> {
  const missing = Array.from({ length: place.concurrency }, (_, stream) => stream).filter((stream) => !warmed.has(stream))
  const work = async () => {
    for (let stream = missing.shift(); stream !== undefined; stream = missing.shift()) {
      await sendOne(deps.client, await abortable(deps.book.scout(place, stream), signal), signal, stream)
      warmed.add(stream)
    }
  }
  await Promise.all(Array.from({ length: Math.min(DISTINCT_AT_ONCE, place.concurrency) }, work))
}
