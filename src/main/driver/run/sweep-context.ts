import type { EngineFacts } from '../../../shared/model/engine-facts.ts'
import type { Job } from '../../../shared/model/job.ts'
import type { Plan } from '../../../shared/model/plan.ts'
import type { SpoolEntry } from '../../../shared/model/spool.ts'
import type { DriverClient } from '../stream/types.ts'
import type { Clock } from './clock.ts'
import type { Commands } from './commands.ts'
import type { Counting } from './counting.ts'
import type { GpuFeed } from './gpu-feed.ts'
import type { LoadProbe } from './load-probe.ts'
import type { MetricsFeed } from './metrics-feed.ts'
import type { CachedResult } from './probe-request.ts'
import type { PromptBook } from './prompt-book.ts'
import type { ServerWatch } from './server-watch.ts'
import type { Waits } from './waits.ts'

/** Prefill results of a run while they come together. */
export interface PrefillLedger {
  /** The first cold scout of a context: its prefill sample, where one is wanted; takes the further samples too. */
  takeScout(contextTokens: number, cold: CachedResult, startedWallMs: number, signal: AbortSignal): Promise<void>
  /** Cold prefill time of a context as far as known, else scaled or assumed. */
  knownSeconds(contextTokens: number): number
}

/** What everything that measures needs. */
export interface SweepContext {
  job: Job
  plan: Plan
  facts: EngineFacts
  client: DriverClient
  clock: Clock
  commands: Commands
  feed: MetricsFeed
  gpu: GpuFeed
  probe: LoadProbe
  book: PromptBook
  watch: ServerWatch
  waits: Waits
  prefills: PrefillLedger
  /** Set by the warm-up. */
  counting: Counting
  write: (entry: SpoolEntry) => void
  event: (level: 'info' | 'warn' | 'error', text: string) => void
  /** Jitter of a path that leaves the machine; undefined on the host itself. */
  pathJitterMs: number | undefined
  tunnelLoopDelayP99Ms: () => number | undefined
}
