import type { EngineFacts } from '../../../shared/model/engine-facts.ts'
import type { Job } from '../../../shared/model/job.ts'
import type { PlannedCell, SpoolEntry } from '../../../shared/model/spool.ts'
import { estimateRunSeconds, planCells, type ResolvedContexts, resolveContexts } from '../../../shared/planning/index.ts'
import { parseMetrics } from '../sample/prometheus.ts'
import { countFixedOpening } from '../stream/fixed-opening.ts'
import { createPromptSource } from '../stream/prompts.ts'
import { detectCounter } from '../stream/token-counter.ts'
import type { DriverClient, TokenCounter } from '../stream/types.ts'
import { createCellQueue } from './cell-queue.ts'
import type { Clock } from './clock.ts'
import type { Commands } from './commands.ts'
import { detect } from './detect.ts'
import type { GpuFeed } from './gpu-feed.ts'
import type { LoadProbe } from './load-probe.ts'
import { createMetricsFeed } from './metrics-feed.ts'
import { isLoopback, type PathQuality, probePath } from './path-probe.ts'
import { createPrefillBook } from './prefill-ledger.ts'
import { createRunProgress } from './progress.ts'
import { createPromptBook } from './prompt-book.ts'
import type { CellsRun } from './run-cells.ts'
import type { RunStateMachine } from './run-state.ts'
import { createServerWatch } from './server-watch.ts'
import type { SweepContext } from './sweep-context.ts'

export interface CarryOutDeps {
  job: Job
  client: DriverClient
  clock: Clock
  commands: Commands
  gpu: GpuFeed
  probe: LoadProbe
  write: (entry: SpoolEntry) => void
  lastAckMs: () => number
  tunnelLoopDelayP99Ms: () => number | undefined
  redact: (text: string) => string
}

export interface Prepared {
  run: CellsRun
}

/** A server that hangs shall not hold up the end of the run. */
async function unlessEnding<T>(commands: Commands, work: Promise<T>): Promise<T> {
  const { ending, end } = commands.untilEnding()
  try {
    return await Promise.race([work, ending])
  } finally {
    end()
  }
}

function planned(
  deps: CarryOutDeps,
  facts: EngineFacts,
  resolved: ResolvedContexts,
): { cells: PlannedCell[]; prefills: number[] } {
  const { job } = deps
  const cells = planCells({ plan: job.plan, contexts: resolved.contexts, kvTokens: facts.kvTokens, done: job.done.cells })
  const done = new Set(job.done.prefills.map((prefill) => prefill.contextTokens))
  const prefills = resolved.prefillContexts.filter((context) => !done.has(context))
  const estimateSeconds = estimateRunSeconds({ plan: job.plan, cells, prefillContexts: prefills })
  deps.write({ kind: 'planned', ...resolved, cells, estimateSeconds: Math.round(estimateSeconds) })
  return { cells, prefills }
}

/** The jitter that belongs to the path: on the machine itself there is none to speak of, a probe's is the server's. */
function pathJitter(job: Job, path: PathQuality | undefined): number | undefined {
  if (job.place === 'host' || path === undefined) return undefined
  return job.place === 'tunnel' || !isLoopback(job.target.baseUrl) ? path.jitterMs : undefined
}

function createContext(
  deps: CarryOutDeps,
  found: {
    facts: EngineFacts
    counter: TokenCounter
    openingTokens: number | undefined
    path: PathQuality | undefined
    prefills: number[]
  },
): { context: SweepContext; prefills: CellsRun['prefills'] } {
  const { job, client, clock, write } = deps
  const { plan } = job
  const { facts, counter, openingTokens, path } = found
  const feed = createMetricsFeed({ client, clock, available: facts.capabilities.metrics, parse: parseMetrics })
  const source = createPromptSource({
    seed: plan.seed,
    endpoint: plan.endpoint,
    counter,
    ...(plan.prompts === undefined ? {} : { texts: plan.prompts.texts }),
  })
  const book = createPromptBook({
    source,
    plan,
    runId: job.runId,
    epoch: job.epoch,
    model: facts.servedModel,
    now: () => clock.now(),
    onBuilt: ({ contextTokens, countedTokens, method, sha256 }, seconds) =>
      write({ kind: 'prompt', contextTokens, countedTokens, method, sha256, seconds }),
  })
  const prefills = createPrefillBook({
    deps: { client, feed, book, openingTokens },
    plan,
    clock,
    contexts: found.prefills,
    write: (result) => write({ kind: 'prefill', result }),
  })
  const context: SweepContext = {
    job,
    plan,
    facts,
    client,
    clock,
    commands: deps.commands,
    feed,
    gpu: deps.gpu,
    probe: deps.probe,
    book,
    watch: createServerWatch({ client, clock, serverProcess: job.serverProcess, redact: deps.redact }),
    prefills,
    write,
    event: (level, text) => write({ kind: 'event', level, text }),
    pathJitterMs: pathJitter(job, path),
    tunnelLoopDelayP99Ms: deps.tunnelLoopDelayP99Ms,
  }
  return { context, prefills }
}

/** Everything before the first measured request: facts, path, contexts, cells (measurement.md 2 and 3.1). */
export async function prepare(deps: CarryOutDeps, runState: RunStateMachine): Promise<Prepared> {
  const { job, client, commands, clock, write } = deps
  const { plan } = job
  const startedMs = clock.now()
  const found = detect({
    client,
    wantedModel: plan.model,
    planKvTokens: plan.kvTokens,
    known: job.known,
    endpoint: plan.endpoint,
    detectCounter,
  })
  const { facts, counter } = await unlessEnding(commands, found)
  const openingTokens = await unlessEnding(commands, countFixedOpening(counter, plan.endpoint))
  const path = await unlessEnding(commands, probePath(client))
  write({ kind: 'facts', facts, ...(path ? { path } : {}) })
  const resolved = resolveContexts(plan, facts.maxModelLen)
  const { cells, prefills: prefillContexts } = planned(deps, facts, resolved)

  const { context, prefills } = createContext(deps, { facts, counter, openingTokens, path, prefills: prefillContexts })
  const progress = createRunProgress(plan, prefills.seconds)
  progress.totalCells = cells.length
  progress.doneCells = cells.filter((cell) => cell.verdict !== 'run').length
  if (!job.dryRun) {
    for (const { contextTokens, concurrency, repeat, verdict, reason = '', neededTokens, kvTokens } of cells) {
      if (verdict !== 'over_capacity') continue
      write({ kind: 'settled', contextTokens, concurrency, repeat, status: 'over_capacity', reason, neededTokens, kvTokens })
    }
  }
  const run: CellsRun = {
    context,
    queue: createCellQueue(cells, job.attempts),
    memory: {
      barrier: { ownLeftovers: false },
      warmedBatches: new Set(),
      seenContexts: new Set(),
      warmedStreams: new Map(),
    },
    prefills,
    progress,
    runState,
    startedMs,
  }
  return { run }
}
