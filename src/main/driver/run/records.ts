import type { Attempt, CellFigures, CellStatus, RequestRecord } from '../../../shared/model/cell.ts'
import { isoOf } from './clock.ts'
import { type CutReason, linkLostText } from './cut.ts'
import { type CellOutcome, cellFigures } from './figures/cell-figures.ts'
import { cellFlags } from './figures/flags.ts'
import type { Measured } from './figures/measured.ts'
import type { GateResult } from './gate.ts'
import type { CellPlace } from './prompt-book.ts'
import { encodeRawEvents } from './raw-events.ts'
import type { SweepContext } from './sweep-context.ts'
import type { TrackedRequest } from './streams.ts'
import type { WindowEdges } from './window.ts'

/** What an attempt has gone through so far. */
export interface Progress {
  /** Requests on the server that aren't ours and that the plan accepts. */
  foreign: number
  scoutMissed: string | undefined
  /** The prompt's length as the server counted it in the scout. */
  scoutPromptTokens: number | undefined
  gate: GateResult | undefined
  openMs: number | undefined
  edges: WindowEdges | undefined
  loop: Attempt['loop']
}

/** A replaced loop is forgiven while it touched less than this share of the cell's tokens (docs/measurement.md 5). */
const MAX_REPLACED_SHARE = 0.05

const MAX_ERROR_CHARS = 500

/** One request for the record; times in ms since the attempt's start. */
function requestRecord(request: TrackedRequest, originMs: number): RequestRecord {
  const { result, stream, ordinal } = request
  const since = (atMs: number | undefined) => (atMs === undefined ? undefined : Math.round((atMs - originMs) * 1000) / 1000)
  return {
    stream,
    ordinal,
    startMs: since(result.startMs) ?? 0,
    lastByteSentMs: since(result.lastByteSentMs),
    firstEventMs: since(result.firstEventMs),
    lastEventMs: since(result.lastEventMs),
    endMs: since(result.endMs),
    promptTokens: result.promptTokens,
    cachedTokens: result.cachedTokens,
    outputTokens: result.outputTokens,
    firstEventTokens: result.firstEventTokens,
    events: result.events,
    completed: result.completed,
    finishReason: result.finishReason,
    error: result.error?.message.slice(0, MAX_ERROR_CHARS),
  }
}

interface Verdict {
  status: CellStatus
  reason?: string
  replacedShare?: number
}

function loopReason(loop: NonNullable<Attempt['loop']>): string {
  return `stream ${loop.stream} repeats ${loop.periodChars} characters of ${loop.channel} ${loop.cycles} times`
}

function replacedShare({ log, requests }: Measured): number | undefined {
  const affected = requests.filter((request) => request.looped)
  if (affected.length === 0) return undefined
  return affected.reduce((sum, request) => sum + request.loggedTokens, 0) / Math.max(1, log.tokens)
}

function cutVerdict(cut: CutReason, { loop }: Progress): Verdict {
  switch (cut.kind) {
    case 'stream':
      return { status: 'error', reason: `stream ${cut.stream}: ${cut.error.message}` }
    case 'loop':
      return { status: 'looped', reason: loop ? loopReason(loop) : 'a stream repeats itself' }
    case 'failed':
      return { status: 'error', reason: cut.message }
    case 'link_lost':
      return { status: 'cancelled', reason: linkLostText(cut.reason) }
    case 'skip':
      return { status: 'skipped', reason: 'skipped by the person' }
    case 'pause':
      return { status: 'cancelled', reason: 'paused by the person' }
    default:
      return { status: 'cancelled', reason: cut.reason }
  }
}

/** The attempt's status and why (docs/measurement.md 5). */
function judge(cut: CutReason | undefined, progress: Progress, measured: Measured, outcome: CellOutcome): Verdict {
  if (cut) return cutVerdict(cut, progress)
  const share = replacedShare(measured)
  if (share !== undefined && share >= MAX_REPLACED_SHARE) {
    const detail = progress.loop ? `; ${loopReason(progress.loop)}` : ''
    return { status: 'looped', reason: `${(100 * share).toFixed(1)} % of the tokens came from looping streams${detail}` }
  }
  const { totalTokensPerSecond, eventsPerSecond } = outcome.figures
  if (totalTokensPerSecond === undefined && eventsPerSecond === undefined)
    return { status: 'error', reason: 'no output tokens in the window' }
  return { status: 'valid', ...(share === undefined ? {} : { replacedShare: share }) }
}

const NOT_FILLED: GateResult = { filled: false, effectiveConcurrency: 0, detail: 'the gate was not reached' }

function figuresOf(verdict: Verdict, outcome: CellOutcome): CellFigures {
  if (verdict.status === 'valid') return outcome.figures
  // As published: nothing of a looped cell is kept, and it says so with zeros.
  return verdict.status === 'looped' ? { completedRequests: 0, outputTokens: 0 } : {}
}

/** The attempt as the spool keeps it. */
export function attemptRecord(input: {
  context: SweepContext
  place: CellPlace
  progress: Progress
  measured: Measured
  cut: CutReason | undefined
  startedWallMs: number
  phaseSeconds: Record<string, number>
}): Attempt {
  const { context, place, progress, measured, cut } = input
  const { log, edges, requests } = measured
  const outcome = cellFigures(measured)
  const verdict = judge(cut, progress, measured, outcome)
  const flags = () =>
    cellFlags({
      ...place,
      outcome,
      gate: progress.gate ?? NOT_FILLED,
      gpus: measured.gpus,
      foreignBefore: progress.foreign,
      scoutMissed: progress.scoutMissed,
      wantsCache: context.plan.promptMode !== 'cold',
      pathJitterMs: context.pathJitterMs,
      tunnelLoopDelayP99Ms: context.tunnelLoopDelayP99Ms(),
      replacedShare: verdict.replacedShare,
    })
  const keepsDiscarded = verdict.status !== 'valid' && verdict.status !== 'error' && log.count > 0
  return {
    ...place,
    status: verdict.status,
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    flags: verdict.status === 'valid' ? flags() : [],
    startedAt: isoOf(input.startedWallMs),
    finishedAt: isoOf(context.clock.wallMs()),
    figures: figuresOf(verdict, outcome),
    ...(keepsDiscarded ? { discarded: outcome.figures } : {}),
    phaseSeconds: input.phaseSeconds,
    ...(progress.openMs === undefined
      ? {}
      : { windowOpenMs: log.toUs(edges.openMs) / 1000, windowCloseMs: log.toUs(edges.closeMs) / 1000 }),
    series: progress.openMs === undefined ? [] : outcome.series,
    requests: requests.map((request) => requestRecord(request, log.originMs)),
    ...(log.count > 0 ? { rawEvents: encodeRawEvents(log.columns()) } : {}),
    ...(progress.loop === undefined ? {} : { loop: progress.loop }),
  }
}
