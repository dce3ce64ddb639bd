import type { Flag } from '../../../../shared/model/cell.ts'
import type { GpuReading } from '../gpu-feed.ts'
import type { GateResult } from '../gate.ts'
import type { CellOutcome } from './cell-figures.ts'

export interface FlagInput {
  contextTokens: number
  concurrency: number
  outcome: CellOutcome
  gate: GateResult
  gpus: GpuReading[]
  /** Requests running that weren't ours when the attempt began. */
  foreignBefore: number
  /** The scout never saw a cache hit although the prompt mode wants one. */
  scoutMissed: string | undefined
  /** Whether the prompt mode wants its prompts served from the cache. */
  wantsCache: boolean
  /** Jitter of a path that isn't the machine itself (tunnel, remote URL), ms. */
  pathJitterMs: number | undefined
  /** The tunnel's own loop delay where the engine carries the data. */
  tunnelLoopDelayP99Ms: number | undefined
  /** Tokens of requests that were restarted because they looped, as a share of all. */
  replacedShare: number | undefined
}

const PROMPT_TOLERANCE = 0.001
/** Set by runs against a known truth beside processes that eat the CPU (bench/truth-table.ts). */
const CLIENT_LIMIT = { edgeDoubtPercent: 0.5, ttftMs: 2, ttftShare: 0.04, stallShare: 0.02, cpuShare: 0.9 }
const TUNNEL_FACTOR = 4
const SERVER_TOLERANCE_PERCENT = 2
const MIN_SAMPLES = 3
/** Hybrid models round a prefix down to blocks of up to about a thousand tokens and recompute the last one (docs/published-method.md 7). */
const CACHE_GRANULARITY = 2400

/** Cached tokens from which a prompt counts as served from the cache. */
export function minimumCachedTokens(promptTokens: number): number {
  return Math.max(1, Math.min(0.8 * promptTokens, promptTokens - CACHE_GRANULARITY))
}

function promptLength({ contextTokens, outcome }: FlagInput): Flag | undefined {
  const real = outcome.figures.promptTokens
  if (contextTokens === 0 || real === undefined || Math.abs(real - contextTokens) <= contextTokens * PROMPT_TOLERANCE)
    return undefined
  return { flag: 'prompt_length', detail: `asked for ${contextTokens} tokens, the server counted ${real}` }
}

function notFilled({ gate, concurrency, outcome }: FlagInput): Flag | undefined {
  const effective = (value: number) => `effective concurrency ${Math.round(value * 10) / 10} of ${concurrency}`
  if (!gate.filled)
    return { flag: 'not_filled', detail: `${gate.detail ?? 'not filled'}; ${effective(gate.effectiveConcurrency)}` }
  const queues = outcome.inside.flatMap(({ sample }) => (sample.waiting === undefined ? [] : [sample.waiting]))
  const waiting = queues.reduce((sum, value) => sum + value, 0) / Math.max(1, queues.length)
  const running = outcome.figures.activeRequestsMean
  if (running === undefined || waiting < 0.1 * concurrency || running > 0.9 * concurrency) return undefined
  return { flag: 'not_filled', detail: `${Math.round(waiting * 10) / 10} requests waited on average; ${effective(running)}` }
}

function foreignLoad({ foreignBefore, concurrency, outcome }: FlagInput): Flag | undefined {
  if (foreignBefore > 0) return { flag: 'foreign_load', detail: `requests running before that aren't ours: ${foreignBefore}` }
  const loads = outcome.inside.map(({ sample }) => (sample.running ?? 0) + (sample.waiting ?? 0))
  const above = loads.filter((load) => load > concurrency)
  if (above.length < 2) return undefined
  return { flag: 'foreign_load', detail: `the server had up to ${Math.max(...above)} requests, ${concurrency} of them ours` }
}

function cacheMiss({ scoutMissed, wantsCache, contextTokens, outcome }: FlagInput): Flag | undefined {
  if (!wantsCache || contextTokens === 0) return undefined
  const share = outcome.figures.cache?.cachedShare
  if (share === undefined) return scoutMissed === undefined ? undefined : { flag: 'cache_miss', detail: scoutMissed }
  const real = outcome.figures.promptTokens ?? contextTokens
  if (share * real >= minimumCachedTokens(real)) return undefined
  return { flag: 'cache_miss', detail: `${(100 * share).toFixed(1)} % of the prompts' tokens came from the cache` }
}

/**
 * What being held up does to the figures, not that we were: the total is off by tokens that can't be placed at the window's edges or by a
 * stall as long as a good part of it, TTFT by first outputs that were read late, everything where our processor is the limit.
 */
function clientLimited({ outcome, tunnelLoopDelayP99Ms = 0 }: FlagInput): Flag | undefined {
  const { ttftMs = 0, windowSeconds = Infinity, path = {} } = outcome.figures
  const { edgeDoubtPercent = 0, firstLatenessP50Ms = 0, loopDelayP99Ms = 0, cpuShare = 0 } = path
  const ttftLimitMs = CLIENT_LIMIT.ttftMs + CLIENT_LIMIT.ttftShare * ttftMs
  // A tunnel's engine tells its worst moments only; the middle is far below.
  const isTtftLate = firstLatenessP50Ms > ttftLimitMs || tunnelLoopDelayP99Ms > TUNNEL_FACTOR * ttftLimitMs
  const stallLimitMs = 1000 * windowSeconds * (isTtftLate ? CLIENT_LIMIT.stallShare / 2 : CLIENT_LIMIT.stallShare)
  const reasons: [figure: string, reason: string][] = []
  if (edgeDoubtPercent > CLIENT_LIMIT.edgeDoubtPercent)
    reasons.push([
      'totalTokensPerSecond',
      `it isn't known of ${edgeDoubtPercent.toFixed(1)} % of the tokens on which side of the window's edges they were made`,
    ])
  else if (loopDelayP99Ms > stallLimitMs)
    reasons.push(['totalTokensPerSecond', `our program was held up by ${loopDelayP99Ms.toFixed(0)} ms (p99)`])
  if (isTtftLate) {
    const lateMs = Math.max(firstLatenessP50Ms, tunnelLoopDelayP99Ms)
    reasons.push(['ttftMs', `first outputs were read up to ${lateMs.toFixed(1)} ms late`])
  }
  const isSaturated = cpuShare > CLIENT_LIMIT.cpuShare
  if (reasons.length === 0 && !isSaturated) return undefined
  const texts = reasons.map(([, reason]) => reason)
  if (!isSaturated) return { flag: 'client_limited', detail: texts.join('; '), figures: reasons.map(([figure]) => figure) }
  return { flag: 'client_limited', detail: [`our program used ${(100 * cpuShare).toFixed(0)} % of a core`, ...texts].join('; ') }
}

function pathNoise({ pathJitterMs, outcome }: FlagInput): Flag | undefined {
  if (pathJitterMs === undefined) return undefined
  const names = (['ttftMs', 'timeBetweenTokensMs'] as const).filter(
    (name) => pathJitterMs > (outcome.figures[name] ?? Infinity) / 10,
  )
  if (names.length === 0) return undefined
  return { flag: 'path_noise', detail: `the path's jitter is ${pathJitterMs.toFixed(1)} ms`, figures: [...names] }
}

function fewSamples({ outcome }: FlagInput): Flag | undefined {
  const figures: string[] = []
  if (outcome.ttftSamples < MIN_SAMPLES) figures.push('ttftMs')
  if (outcome.itlSamples < MIN_SAMPLES) figures.push('timeBetweenTokensMs', 'perRequestTokensPerSecond')
  if (figures.length === 0) return undefined
  return { flag: 'few_samples', detail: `medians of ${Math.min(outcome.ttftSamples, outcome.itlSamples)} requests`, figures }
}

/** Reasons that slow a GPU down; app clocks and the like are settings, not throttling. */
const THROTTLING = /slowdown|thermal|brake|power_cap|powercap/i

function throttled(gpus: GpuReading[]): Flag | undefined {
  const counts = new Map<string, number>()
  for (const reading of gpus) {
    const reasons = new Set(reading.gpus.flatMap((gpu) => gpu.throttleReasons ?? []))
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const hit = [...counts].filter(([reason, count]) => {
    // Verdicts as lil-bench gives them: thermal and slowdown above 5 % of the samples, the power cap above 20 %.
    const share = count / gpus.length
    return THROTTLING.test(reason) && share > (/power_?cap/i.test(reason) ? 0.2 : 0.05)
  })
  if (hit.length === 0) return undefined
  return { flag: 'throttled', detail: hit.map(([reason, count]) => `${reason} in ${count} of ${gpus.length} samples`).join(', ') }
}

/** The doubts about a valid cell (docs/measurement.md 5). */
export function cellFlags(input: FlagInput): Flag[] {
  const { outcome, replacedShare } = input
  const { figures, drift } = outcome
  const check = figures.serverCheck
  const preemptions = figures.cache?.preemptions ?? 0
  const flags: (Flag | undefined)[] = [
    promptLength(input),
    notFilled(input),
    foreignLoad(input),
    cacheMiss(input),
    clientLimited(input),
    pathNoise(input),
    drift?.drifting
      ? { flag: 'drifting', detail: `the rate moved by ${drift.changePercent.toFixed(1)} % over the window` }
      : undefined,
    fewSamples(input),
    outcome.silence
      ? {
          flag: 'stalled',
          detail: `nothing came from the server for ${outcome.silence.seconds.toFixed(1)} s, ${outcome.silence.afterSeconds.toFixed(1)} s into the window`,
        }
      : undefined,
    check && check.seconds >= 1 && Math.abs(check.differencePercent) > SERVER_TOLERANCE_PERCENT
      ? {
          flag: 'server_disagrees',
          detail: `the server counted ${check.serverTokens} tokens where we counted ${Math.round(check.ourTokens)}`,
        }
      : undefined,
    throttled(input.gpus),
    preemptions > 0 ? { flag: 'preempted', detail: `${preemptions} preemptions in the window` } : undefined,
    outcome.countDoubt === undefined ? undefined : { flag: 'estimated_tokens', detail: outcome.countDoubt },
    replacedShare !== undefined
      ? {
          flag: 'loop_replaced',
          detail: `a looping stream was restarted; ${(100 * replacedShare).toFixed(1)} % of the tokens were affected`,
        }
      : undefined,
  ]
  return flags.filter((flag): flag is Flag => flag !== undefined)
}
