import type { PrefillResult } from '../../../shared/model/cell.ts'
import type { Plan } from '../../../shared/model/plan.ts'
import { estimatePrefillSeconds } from '../../../shared/planning/index.ts'
import type { Clock } from './clock.ts'
import { coldSample, isColdEnough, type PrefillDeps, type PrefillSample, prefillResult, prefillSample } from './prefill.ts'
import type { PrefillLedger } from './sweep-context.ts'

export interface PrefillBook extends PrefillLedger {
  /** All samples of a context that no cell's scout will bring. Throws a Cut. */
  measureAlone(contextTokens: number, signal: AbortSignal): Promise<PrefillResult>
  /** Contexts still wanted. */
  wanted(): number[]
  drop(contextTokens: number): void
  /** Cold prefill seconds by context as measured. */
  readonly seconds: ReadonlyMap<number, number>
}

export function createPrefillBook(options: {
  deps: PrefillDeps
  plan: Plan
  clock: Clock
  /** Contexts to sample that aren't done yet. */
  contexts: number[]
  write: (result: PrefillResult) => void
}): PrefillBook {
  const { deps, plan, clock } = options
  const wanted = new Set(options.contexts)
  const seconds = new Map<number, number>()

  async function furtherSamples(contextTokens: number, samples: PrefillSample[], signal: AbortSignal): Promise<void> {
    while (samples.length < plan.prefillSamples) {
      samples.push(await coldSample(deps, contextTokens, `sample-${samples.length + 1}`, signal))
    }
  }

  function finish(
    contextTokens: number,
    source: PrefillResult['source'],
    samples: PrefillSample[],
    startedWallMs: number,
  ): PrefillResult {
    const result = prefillResult({ contextTokens, source, samples, startedWallMs, clock })
    if (result.ttftMs !== undefined) seconds.set(contextTokens, result.ttftMs / 1000)
    wanted.delete(contextTokens)
    options.write(result)
    return result
  }

  return {
    async takeScout(contextTokens, cold, startedWallMs, signal) {
      const endMs = cold.result.firstTokenMs ?? cold.result.firstEventMs
      if (endMs !== undefined) seconds.set(contextTokens, (endMs - cold.result.startMs) / 1000)
      if (!wanted.has(contextTokens)) return
      const first = prefillSample(cold, deps.openingTokens)
      const samples = isColdEnough(first, deps.openingTokens) ? [first] : []
      // A scout that hit the cache after all is no sample; a fresh prefix takes its place.
      await furtherSamples(contextTokens, samples, signal)
      finish(contextTokens, 'scout', samples, startedWallMs)
    },
    async measureAlone(contextTokens, signal) {
      const startedWallMs = clock.wallMs()
      const samples: PrefillSample[] = []
      await furtherSamples(contextTokens, samples, signal)
      return finish(contextTokens, 'standalone', samples, startedWallMs)
    },
    knownSeconds: (contextTokens) => estimatePrefillSeconds(contextTokens, { prefillSeconds: seconds }),
    wanted: () => [...wanted],
    drop: (contextTokens) => void wanted.delete(contextTokens),
    seconds,
  }
}
