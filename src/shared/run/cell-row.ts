import type { CellFigures, CellStatus, Flag } from '../model/cell.ts'
import type { CellRow } from '../model/run.ts'
import type { PlannedCell } from '../model/spool.ts'
import { isRunOver, type RunState } from '../model/states.ts'
import { assumedFloorPercent, spreadOfRepeats } from '../stats/index.ts'
import { medianFigures } from './median-figures.ts'
import type { Outcome } from './outcome.ts'

interface CellParts {
  contextTokens: number
  concurrency: number
  /** Every try at this cell, in the order they ended. */
  outcomes: readonly Outcome[]
  /** What the driver announced, one entry for each repeat. */
  planned: readonly PlannedCell[]
  repeats: number
  state: RunState
  runReason?: string
  speculative: boolean
}

/** Which status stands for a cell none of whose repeats is valid. */
const WORST_FIRST: CellStatus[] = ['error', 'looped', 'over_capacity', 'skipped', 'cancelled', 'pending']

/** One row of the matrix (docs/measurement.md 4 and 5; the rules are those of shared/model/run.ts, cellRowSchema). */
export function projectCell(parts: CellParts): CellRow {
  const deciding = decidingOutcomes(parts)
  const valid = deciding.filter((outcome) => outcome.status === 'valid')
  const base = {
    contextTokens: parts.contextTokens,
    concurrency: parts.concurrency,
    attempts: parts.outcomes.filter((outcome) => outcome.attempt !== undefined).length,
    ...(parts.repeats > 1 ? { repeats: valid.length } : {}),
  }
  if (valid.length > 0) return { ...base, ...validRow(parts, deciding, valid) }
  const status = WORST_FIRST.find((candidate) => deciding.some((outcome) => outcome.status === candidate))
  const outcome = deciding.find((candidate) => candidate.status === status)
  if (outcome === undefined) return { ...base, ...rowWithoutOutcome(parts) }
  const row = unmeasuredRow(outcome)
  // Broken off, and measured again when the run goes on.
  const waits = row.status === 'cancelled' && !isRunOver(parts.state)
  return { ...base, ...row, ...(waits ? { status: 'pending' as const } : {}) }
}

/** For each repeat its latest outcome; a try that was cancelled or skipped does not displace what had been found before. */
function decidingOutcomes(parts: CellParts): Outcome[] {
  const byRepeat = new Map<number, Outcome>()
  for (const outcome of parts.outcomes) {
    const before = byRepeat.get(outcome.repeat)
    const undecided = outcome.status === 'cancelled' || outcome.status === 'skipped' || outcome.status === 'pending'
    if (before !== undefined && undecided && before.status !== 'cancelled' && before.status !== 'pending') continue
    byRepeat.set(outcome.repeat, outcome)
  }
  return [...byRepeat.entries()].sort(([a], [b]) => a - b).map(([, outcome]) => outcome)
}

function validRow(parts: CellParts, deciding: Outcome[], valid: Outcome[]) {
  const figures = medianFigures(valid.map((outcome) => outcome.figures))
  const others = deciding.filter((outcome) => outcome.status !== 'valid')
  const reason = others.map((outcome) => `repeat ${String(outcome.repeat)}: ${outcome.reason ?? outcome.status}`).join('; ')
  return {
    status: 'valid' as const,
    reason: reason === '' ? valid.at(-1)?.reason : reason,
    flags: distinctFlags(valid.flatMap((outcome) => outcome.flags)),
    ...figures,
    ...confidence(figures, valid, parts.speculative),
  }
}

/**
 * Between runs the spread of repeats decides; without repeats the window's own half-width counts where it is wider than the floor
 * that is assumed otherwise (docs/measurement.md 4).
 */
function confidence(
  figures: CellFigures,
  valid: Outcome[],
  speculative: boolean,
): Pick<CellFigures, 'confidence95Percent' | 'confidenceSource'> {
  // No width makes sense around a figure in an unknown unit: a total that was estimated from bare events (runs before December 2026).
  if (figures.totalTokensPerSecond === undefined || figures.tokenSource === 'events')
    return { confidence95Percent: undefined, confidenceSource: undefined }
  const rates = valid.map((outcome) => outcome.figures.totalTokensPerSecond).filter((rate) => rate !== undefined)
  const spread = spreadOfRepeats(rates)
  if (spread !== undefined) return { confidence95Percent: spread.percent, confidenceSource: 'repeats' }
  const floor = assumedFloorPercent(speculative || figures.speculative !== undefined)
  const own = figures.confidence95Percent
  if (own !== undefined && own > floor) return { confidence95Percent: own, confidenceSource: 'window' }
  return { confidence95Percent: floor, confidenceSource: 'assumed' }
}

/** Nothing of a cell that isn't valid counts as a figure: what had been measured is kept apart. */
function unmeasuredRow(outcome: Outcome) {
  const { status, reason, flags, neededTokens, kvTokens, logLines } = outcome
  const measured = Object.keys(outcome.figures).length > 0 ? outcome.figures : undefined
  const discarded = outcome.discarded ?? (measured?.outputTokens === undefined ? undefined : measured)
  const promptTokens = outcome.figures.promptTokens ?? outcome.discarded?.promptTokens
  return {
    status,
    reason,
    flags,
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(status === 'looped' ? { completedRequests: 0, outputTokens: 0 } : {}),
    neededTokens,
    kvTokens,
    discarded,
    logLines,
  }
}

function rowWithoutOutcome(parts: CellParts) {
  const over = parts.planned.find((cell) => cell.verdict === 'over_capacity')
  if (over !== undefined) {
    const { reason, neededTokens, kvTokens } = over
    return { status: 'over_capacity' as const, reason, flags: [], neededTokens, kvTokens }
  }
  if (!isRunOver(parts.state)) return { status: 'pending' as const, flags: [] }
  return { status: 'cancelled' as const, reason: withoutReason(parts.state, parts.runReason), flags: [] }
}

export function withoutReason(state: RunState, runReason: string | undefined): string {
  const why = runReason === undefined ? '' : `: ${runReason}`
  return `The run ${state === 'failed' ? 'failed' : state === 'stopped' ? 'was stopped' : 'ended'} before this was measured${why}`
}

function distinctFlags(flags: Flag[]): Flag[] {
  const byName = new Map<string, Flag>()
  for (const flag of flags) byName.set(flag.flag, flag)
  return [...byName.values()]
}
