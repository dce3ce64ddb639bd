import type { z } from 'zod'
import type { Flag, PrefillResult, prefillSampleSchema } from '../../../shared/model/cell.ts'
import { median } from '../../../shared/stats/index.ts'
import { abortable } from './abortable.ts'
import { type Clock, isoOf } from './clock.ts'
import { Cut } from './cut.ts'
import { type CachedResult, sendWithCacheCheck } from './probe-request.ts'
import type { ScoutDeps } from './scout.ts'

export interface PrefillDeps extends ScoutDeps {
  /** Tokens that stand before every prompt and are always cached (countFixedOpening); undefined where that can't be seen. */
  openingTokens: number | undefined
}

export type PrefillSample = z.infer<typeof prefillSampleSchema>

const MAX_TRIES = 3
/** How much of a prompt may be a chat template's own opening, where the server doesn't let us see it. */
const TEMPLATE_SHARE = 0.01

/** One sample; its clock stops at the first event with a token or a finish reason, since a reasoning parser may swallow the text. */
export function prefillSample({ result, cachedTokens }: CachedResult, openingTokens = 0): PrefillSample {
  const endMs = result.firstTokenMs ?? result.firstEventMs
  if (endMs === undefined) {
    throw new Cut({
      kind: 'stream',
      stream: 0,
      error: { kind: 'protocol', message: 'a prefill request ended without any token' },
    })
  }
  if (result.promptTokens === undefined) {
    throw new Cut({
      kind: 'stream',
      stream: 0,
      error: { kind: 'protocol', message: 'a prefill request ended without usage.prompt_tokens' },
    })
  }
  const ttftMs = endMs - result.startMs
  return {
    ttftMs,
    promptTokens: result.promptTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    // The template's opening is the same before every prompt: its blocks are cached whatever is sent.
    coldVerified: cachedTokens !== undefined && cachedTokens <= openingTokens,
    tokensPerSecond: (1000 * result.promptTokens) / ttftMs,
  }
}

/** Whether the sample may count: not seen to have come from the cache, beyond the template's opening. */
export function isColdEnough(sample: PrefillSample, openingTokens: number | undefined): boolean {
  return (sample.cachedTokens ?? 0) <= (openingTokens ?? sample.promptTokens * TEMPLATE_SHARE)
}

/** One cold sample with a prefix never seen, repeated where the cache was hit all the same. */
export async function coldSample(
  deps: PrefillDeps,
  contextTokens: number,
  name: string,
  signal: AbortSignal,
): Promise<PrefillSample> {
  for (let attempt = 1; ; attempt += 1) {
    const request = await abortable(deps.book.coldPrefill(contextTokens, `${name}/${attempt}`), signal)
    const sample = prefillSample(await sendWithCacheCheck(deps.client, deps.feed, request, signal), deps.openingTokens)
    if (isColdEnough(sample, deps.openingTokens) || attempt === MAX_TRIES) return sample
  }
}

export function prefillResult(options: {
  contextTokens: number
  source: PrefillResult['source']
  samples: PrefillSample[]
  startedWallMs: number
  clock: Clock
}): PrefillResult {
  const { samples, contextTokens } = options
  const flags: Flag[] = []
  const unverified = samples.filter((sample) => !sample.coldVerified)
  if (unverified.length > 0) {
    const cached = median(unverified.flatMap((sample) => (sample.cachedTokens === undefined ? [] : [sample.cachedTokens])))
    const detail =
      cached === undefined
        ? "the server doesn't say how much came from its cache"
        : `${cached} tokens of the prompt came from the cache`
    flags.push({ flag: 'cold_unverified', detail })
  }
  const promptTokens = Math.round(median(samples.map((sample) => sample.promptTokens)) ?? 0)
  if (contextTokens > 0 && Math.abs(promptTokens - contextTokens) > contextTokens * 0.001) {
    flags.push({ flag: 'prompt_length', detail: `asked for ${contextTokens} tokens, the server counted ${promptTokens}` })
  }
  const ttfts = samples.map((sample) => sample.ttftMs)
  const ttftMs = median(ttfts) ?? 0
  const cachedTokens = median(samples.flatMap((sample) => (sample.cachedTokens === undefined ? [] : [sample.cachedTokens])))
  const nowMs = options.clock.wallMs()
  return {
    contextTokens,
    status: 'valid',
    flags,
    source: options.source,
    promptTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens: Math.round(cachedTokens) }),
    ttftMs,
    tokensPerSecond: median(samples.map((sample) => sample.tokensPerSecond)),
    ...(samples.length >= 2 ? { spreadPercent: (100 * (Math.max(...ttfts) - Math.min(...ttfts))) / ttftMs } : {}),
    samples,
    startedAt: isoOf(options.startedWallMs),
    finishedAt: isoOf(nowMs),
    seconds: (nowMs - options.startedWallMs) / 1000,
  }
}

export function failedPrefill(
  contextTokens: number,
  status: 'error' | 'cancelled',
  reason: string,
  startedWallMs: number,
  clock: Clock,
): PrefillResult {
  return {
    contextTokens,
    status,
    reason,
    flags: [],
    source: 'standalone',
    samples: [],
    startedAt: isoOf(startedWallMs),
    finishedAt: isoOf(clock.wallMs()),
    seconds: (clock.wallMs() - startedWallMs) / 1000,
  }
}
