import { abortable } from './abortable.ts'
import type { Attempt } from '../../../shared/model/cell.ts'
import { type BarrierState, barrier, drain, foreignNow, foreignText } from './barrier.ts'
import type { Commands } from './commands.ts'
import { asCut, Cut, type CutReason } from './cut.ts'
import { createEventLog } from './event-log.ts'
import { gateTimeoutMs, waitForGate } from './gate.ts'
import { showLive } from './live.ts'
import { createPhases, type Phases } from './phases.ts'
import type { CellPlace } from './prompt-book.ts'
import { attemptRecord, type Progress } from './records.ts'
import { scoutDistinct, scoutShared } from './scout.ts'
import type { SweepContext } from './sweep-context.ts'
import { createStreamSet, type StreamSet } from './streams.ts'
import { warmBatchSize } from './warm-up.ts'
import { edgesUntil, runWindow } from './window.ts'

/** What is carried from cell to cell. */
export interface CellMemory {
  barrier: BarrierState
  warmedBatches: Set<number>
  /** Contexts whose prompt this server has seen. */
  seenContexts: Set<number>
  /** `distinct`: streams whose prompt was warmed, by context. */
  warmedStreams: Map<number, Set<number>>
}

interface AttemptOutcome {
  /** Absent where the person paused or interrupted: the cell is measured again, nothing of this try is kept. */
  record?: Attempt
  cut?: CutReason
}

type Work = ReturnType<Commands['begin']>

async function fillCache(
  context: SweepContext,
  memory: CellMemory,
  place: CellPlace,
  work: Work,
  progress: Progress,
): Promise<void> {
  const { plan } = context
  if (plan.promptMode === 'distinct') {
    const warmed = memory.warmedStreams.get(place.contextTokens) ?? new Set<number>()
    memory.warmedStreams.set(place.contextTokens, warmed)
    await scoutDistinct(context, place, warmed, work.signal)
    return
  }
  const isFirst = !memory.seenContexts.has(place.contextTokens)
  const startedWallMs = context.clock.wallMs()
  const scout = await scoutShared(context, place, isFirst, work.signal)
  memory.seenContexts.add(place.contextTokens)
  progress.scoutMissed = scout.missed
  progress.scoutPromptTokens = scout.promptTokens
  if (scout.cold) await context.prefills.takeScout(place.contextTokens, scout.cold, startedWallMs, work.signal)
}

async function measure(
  context: SweepContext,
  memory: CellMemory,
  place: CellPlace,
  work: Work,
  tools: { phases: Phases; streams: StreamSet; progress: Progress },
): Promise<void> {
  const { clock, feed, plan, facts } = context
  const { phases, streams, progress } = tools
  const { signal } = work
  phases.go('barrier')
  const onWaiting = (requests: number) => context.event('warn', `waiting: ${foreignText(requests)} on the server`)
  progress.foreign = await barrier({ feed, clock, signal, state: memory.barrier, plan, onWaiting })
  if (!memory.warmedBatches.has(place.concurrency)) {
    phases.go('warmup')
    if (place.concurrency > 1) await warmBatchSize({ ...context, concurrency: place.concurrency, signal })
    memory.warmedBatches.add(place.concurrency)
  }
  if (place.contextTokens > 0 && plan.promptMode !== 'cold') {
    phases.go('scout')
    await fillCache(context, memory, place, work, progress)
  }
  await abortable(context.book.prepare(place), signal)
  await abortable(feed.scrape(), signal)
  phases.go('fill')
  context.probe.begin()
  streams.start()
  const limit = facts.maxNumSeqs === undefined ? undefined : facts.maxNumSeqs * (facts.engines ?? 1)
  const coldSeconds = plan.promptMode === 'cold' ? context.prefills.knownSeconds(place.contextTokens) : 0
  progress.gate = await waitForGate({
    streams,
    clock,
    signal,
    settleSeconds: plan.settleSeconds,
    timeoutMs: gateTimeoutMs(place.contextTokens, place.concurrency, coldSeconds),
    needed: Math.min(place.concurrency, limit ?? place.concurrency),
    ...(limit === undefined ? {} : { maxNumSeqs: limit }),
  })
  phases.go('window')
  context.probe.openWindow()
  const onOpen = (openMs: number) => {
    progress.openMs = openMs
    // The cross-check wants scrapes close to each edge.
    feed.burst()
  }
  progress.edges = await runWindow({ streams, clock, signal, plan, onOpen, beforeEnd: () => feed.burst() })
}

/** One try at a cell (docs/measurement.md 3): barrier, scout, streams, gate, window, drain, record. */
export async function runAttempt(context: SweepContext, memory: CellMemory, place: CellPlace): Promise<AttemptOutcome> {
  const { clock, feed, commands, plan, probe } = context
  const work = commands.begin(place)
  const phases = createPhases(place, clock, context.write)
  const startedWallMs = clock.wallMs()
  const originMs = clock.now()
  const log = createEventLog(originMs)
  const progress: Progress = {
    foreign: 0,
    scoutMissed: undefined,
    scoutPromptTokens: undefined,
    gate: undefined,
    openMs: undefined,
    edges: undefined,
    loop: undefined,
  }
  const streams = createStreamSet({
    client: context.client,
    log,
    concurrency: place.concurrency,
    source: (stream, ordinal, replacement) => context.book.next(place, stream, ordinal, replacement),
    detectLoops: true,
    onArrival: (atMs, first) => probe.note(atMs, first),
    onFailure: (stream, error) => work.cut(new Cut({ kind: 'stream', stream, error })),
    onLoop: (stream, finding) => {
      progress.loop ??= { stream, ...finding }
      if (plan.onLoop === 'discard') return work.cut(new Cut({ kind: 'loop', stream, finding }))
      context.event(
        'warn',
        `stream ${stream} repeats itself every ${finding.periodChars} characters; it goes on with another task`,
      )
      streams.replace(stream)
    },
  })
  const stopLive = showLive({ context, place, phases, log, streams, openMs: () => progress.openMs })

  let cut: CutReason | undefined
  try {
    await measure(context, memory, place, work, { phases, streams, progress })
  } catch (error) {
    cut = asCut(error).reason
  } finally {
    stopLive()
  }
  const stoppedMs = clock.now()
  const probed = probe.end()
  // An attempt that ended at the barrier has sent nothing that could be waited for.
  if (phases.current !== 'barrier') {
    phases.go('drain')
    // Nobody can be asked whether ours have left: the next barrier sees to it.
    const isLost = cut?.kind === 'link_lost'
    if (isLost) memory.barrier.ownLeftovers = feed.available
    const foreign = Math.max(progress.foreign, foreignNow(feed.since(originMs), place.concurrency))
    await streams.cancel()
    if (!isLost) await drain({ feed, clock, state: memory.barrier, foreign, isEnding: commands.ending !== undefined })
  }
  work.end()
  if (cut?.kind === 'pause' || cut?.kind === 'interrupt') {
    phases.go('done', cut.kind === 'pause' ? 'paused; measured again' : cut.reason)
    return { cut }
  }

  const edges = progress.edges ?? edgesUntil(progress.openMs, originMs, stoppedMs)
  const measured = {
    log,
    requests: streams.requests,
    edges,
    scrapes: feed.since(originMs),
    gpus: context.gpu.between(edges.openMs, edges.closeMs),
    probe: probed,
    foreignBefore: progress.foreign,
    scoutPromptTokens: progress.scoutPromptTokens,
    oneTokenAnEvent: context.counting.oneTokenAnEvent,
  }
  const record = attemptRecord({ context, place, progress, measured, cut, startedWallMs, phaseSeconds: phases.seconds() })
  phases.go('done', record.status)
  return { record, ...(cut ? { cut } : {}) }
}
