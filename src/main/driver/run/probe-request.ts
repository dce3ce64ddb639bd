import { abortable } from './abortable.ts'
import type { DriverClient, RequestResult } from '../stream/types.ts'
import { Cut } from './cut.ts'
import type { MetricsFeed } from './metrics-feed.ts'
import type { NextRequest } from './streams.ts'

/** Sends one request to its end. A failed one throws a Cut (kind stream); an abort closes it and throws the signal's reason. */
export async function sendOne(
  client: DriverClient,
  request: NextRequest,
  signal: AbortSignal,
  stream = 0,
): Promise<RequestResult> {
  signal.throwIfAborted()
  const flight = client.stream(request)
  const stop = () => flight.cancel()
  signal.addEventListener('abort', stop, { once: true })
  const result = await flight.done
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (result.error) throw new Cut({ kind: 'stream', stream, error: result.error })
  return result
}

export interface CachedResult {
  result: RequestResult
  /** From usage details, else from the server's hit counter; undefined where neither can be seen. */
  cachedTokens: number | undefined
}

/** Sends one request and finds out how many of its prompt's tokens came from the cache. */
export async function sendWithCacheCheck(
  client: DriverClient,
  feed: MetricsFeed,
  request: NextRequest,
  signal: AbortSignal,
): Promise<CachedResult> {
  const before = await abortable(feed.scrape(), signal)
  const result = await sendOne(client, request, signal)
  if (result.cachedTokens !== undefined) return { result, cachedTokens: result.cachedTokens }
  const after = await abortable(feed.scrape(), signal)
  const [from, to] = [before?.sample, after?.sample]
  const asked = (to?.prefixCacheQueries ?? 0) - (from?.prefixCacheQueries ?? 0)
  const hits =
    from?.prefixCacheHits === undefined || to?.prefixCacheHits === undefined
      ? undefined
      : to.prefixCacheHits - from.prefixCacheHits
  // A counter that didn't move on a prompt it should have been asked about tells nothing.
  return { result, cachedTokens: hits !== undefined && asked > 0 ? hits : undefined }
}
