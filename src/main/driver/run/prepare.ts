import type { EngineFacts } from '../../../shared/model/engine-facts.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
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
import { COUNT_WITH_EVENTS } from './counting.ts'
import { asCut } from './cut.ts'
import { detect } from './detect.ts'
import type { GpuFeed } from './gpu-feed.ts'
import type { LoadProbe } from './load-probe.ts'
import { createMetricsFeed } from './metrics-feed.ts'
import { isLoopback, type PathQuality, probePath } from './path-probe.ts'
import { createPrefillBook } from './prefill-ledger.ts'
import { createRunProgress } from './progress.ts'
import { createPromptBook } from './prompt-book.ts'
import type { CellsRun } from './run-cells.ts'
import type { ServerWatch } from './server-watch.ts'
import type { SweepContext } from './sweep-context.ts'
import { findTrouble } from './trouble.ts'
import { unlessEnding } from './unless-ending.ts'
import { diesEachTime, MAX_DEATHS_BEFORE_CELLS } from './warm-up-run.ts'
import type { Waits } from './waits.ts'

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

/** Made before anything is known of the server. */
interface Watching {
  watch: ServerWatch
  waits: Waits
}

export interface Prepared {
  run: CellsRun
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
  { watch, waits }: Watching,
  found: Found & { prefills: number[] },
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
    countsWithEvents: () => context.counting.withEvents,
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
    watch,
    waits,
    prefills,
    counting: COUNT_WITH_EVENTS,
    write,
    event: (level, text) => write({ kind: 'event', level, text }),
    pathJitterMs: pathJitter(job, path),
    tunnelLoopDelayP99Ms: deps.tunnelLoopDelayP99Ms,
  }
  return { context, prefills }
}

interface Found {
  facts: EngineFacts
  counter: TokenCounter
  openingTokens: number | undefined
  path: PathQuality | undefined
}

async function lookAround({ job, commands }: CarryOutDeps, client: DriverClient): Promise<Found> {
  const { plan } = job
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
  return { facts, counter, openingTokens, path }
}

/** The same client; tells whether a connection of it broke, whoever shrugged that off. */
function noteBreaks(client: DriverClient): { client: DriverClient; hasBroken: () => SpeedgridError | undefined } {
  let broken: SpeedgridError | undefined
  const request: DriverClient['request'] = async (...args) => {
    try {
      return await client.request(...args)
    } catch (error) {
      if (error instanceof SpeedgridError && error.code === 'server_gone') broken ??= error
      throw error
    }
  }
  return { client: { ...client, request }, hasBroken: () => broken }
}

/**
 * What can be found out of the server, all of it in one go: half of one that died and half of its successor would be nobody's facts. A
 * connection that broke meanwhile makes us look again, once: some servers break those to paths they don't know.
 */
async function findFacts(deps: CarryOutDeps, { watch, waits }: Watching): Promise<Found> {
  const { clock, commands } = deps
  let lookedAgain = false
  for (let deaths = 0; ; ) {
    await waits.forLink()
    const begun = { atMs: clock.now(), linkLosses: commands.link.losses }
    const { client, hasBroken } = noteBreaks(deps.client)
    let found: Found | undefined
    let failure: SpeedgridError | undefined
    try {
      found = await lookAround(deps, client)
      failure = hasBroken()
    } catch (error) {
      if (!(error instanceof SpeedgridError)) throw error
      failure = error
    }
    if (commands.link.losses !== begun.linkLosses) continue
    if (failure === undefined && found) return found
    const reason = asCut(failure).reason
    const trouble = await findTrouble({ commands, watch }, reason, begun)
    if (trouble?.kind === 'link') continue
    if (trouble === undefined) {
      if (found === undefined) throw failure
      if (lookedAgain) return found
      lookedAgain = true
      continue
    }
    deaths += 1
    if (deaths >= MAX_DEATHS_BEFORE_CELLS) throw diesEachTime(trouble, 'the run was being prepared')
    await waits.forServer(trouble)
  }
}

/** Everything before the first measured request: facts, path, contexts, cells (docs/measurement.md 2 and 3.1). */
export async function prepare(deps: CarryOutDeps, watching: Watching): Promise<Prepared> {
  const { job, clock, write } = deps
  const { plan } = job
  const startedMs = clock.now()
  const found = await findFacts(deps, watching)
  const { facts, path } = found
  write({ kind: 'facts', facts, ...(path ? { path } : {}) })
  const resolved = resolveContexts(plan, facts.maxModelLen)
  const { cells, prefills: prefillContexts } = planned(deps, facts, resolved)

  const { context, prefills } = createContext(deps, watching, { ...found, prefills: prefillContexts })
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
    prefillDeaths: new Map(job.prefillDeaths.map(({ contextTokens, deaths }) => [contextTokens, deaths])),
    startedMs,
  }
  return { run }
}
