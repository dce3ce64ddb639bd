import type { Attempt } from '../../../shared/model/cell.ts'
import { fitsTimeBudget } from '../../../shared/planning/index.ts'
import { type CellMemory, runAttempt } from './attempt.ts'
import type { CellQueue, QueuedCell } from './cell-queue.ts'
import type { CutReason } from './cut.ts'
import { failedPrefill } from './prefill.ts'
import type { PrefillBook } from './prefill-ledger.ts'
import type { RunProgress } from './progress.ts'
import { afterDeath, MAX_DEATHS } from './server-gone.ts'
import type { SweepContext } from './sweep-context.ts'
import { type Beginning, findTrouble, type Trouble, troubleText } from './trouble.ts'

export interface CellsRun {
  context: SweepContext
  queue: CellQueue
  memory: CellMemory
  prefills: PrefillBook
  progress: RunProgress
  /** Deaths of the server by the context whose prefill was being sampled. */
  prefillDeaths: Map<number, number>
  startedMs: number
}

function settle(run: CellsRun, cell: QueuedCell, status: 'skipped' | 'cancelled', reason: string): void {
  run.context.write({ kind: 'settled', ...cell, status, reason })
  run.progress.doneCells += 1
}

/** Every cell and prefill that has not been measured ends with a status and a reason. */
export function settleRest(run: CellsRun, reason: string): void {
  for (let cell = run.queue.next(); cell; cell = run.queue.next()) settle(run, cell, 'cancelled', reason)
  const { context, prefills } = run
  for (const contextTokens of prefills.wanted()) {
    prefills.drop(contextTokens)
    const result = failedPrefill(contextTokens, 'cancelled', reason, context.clock.wallMs(), context.clock)
    context.write({ kind: 'prefill', result })
  }
}

function secondsOf(record: Attempt): number {
  return (Date.parse(record.finishedAt) - Date.parse(record.startedAt)) / 1000
}

/** The link or the server broke the try off: the cell is measured again, unless measuring it is what kills the server. */
function breakOff(record: Attempt, trouble: Trouble, isDeadly: boolean): void {
  const said = record.reason !== undefined && trouble.kind === 'server' ? ` (${record.reason})` : ''
  if (record.status === 'valid') {
    record.discarded = record.figures
    record.figures = {}
    record.flags = []
  }
  record.status = isDeadly ? 'error' : 'cancelled'
  record.reason = `${troubleText(trouble)}${said}${isDeadly ? `; it died in each of ${MAX_DEATHS} attempts at this cell` : ''}`
  record.cutBy = trouble.kind === 'link' ? 'link_lost' : 'server_gone'
  if (trouble.kind === 'server' && trouble.logLines.length > 0) record.logLines = trouble.logLines
}

async function troubleOf(run: CellsRun, cell: QueuedCell, cut: CutReason, begun: Beginning): Promise<Trouble | undefined> {
  try {
    return await findTrouble(run.context, cut, begun)
  } catch (error) {
    // The run is to end before it is known: nothing of this try is kept.
    run.queue.putBack(cell)
    throw error
  }
}

async function runCell(run: CellsRun, cell: QueuedCell): Promise<void> {
  const { context, memory, progress, prefills, queue } = run
  const begun = { atMs: context.clock.now(), linkLosses: context.commands.link.losses }
  progress.begin(cell, begun.atMs)
  const seenBefore = prefills.seconds.has(cell.contextTokens)
  const attempt = queue.attemptNumber(cell)
  const { record, cut } = await runAttempt(context, memory, { ...cell, attempt })
  if (!record) {
    queue.putBack(cell)
    return
  }
  const { link } = context.commands
  // A stall is known some seconds after it began: a window that had ended by then may have stood in it.
  const lost = link.losses === begun.linkLosses ? undefined : ({ kind: 'link_lost', reason: link.lastReason } as const)
  const cause = cut ?? lost
  const trouble = cause && (await troubleOf(run, cell, cause, begun))
  const isDeadly = trouble?.kind === 'server' && queue.countDeath(cell) >= MAX_DEATHS
  if (trouble) breakOff(record, trouble, isDeadly)
  context.write({ kind: 'attempt', record })
  if (trouble && !isDeadly) queue.putBack(cell)
  else progress.doneCells += 1
  if (record.status === 'valid') {
    const cold = seenBefore ? 0 : (prefills.seconds.get(cell.contextTokens) ?? 0)
    progress.finish(secondsOf(record), record.figures.windowSeconds ?? 0, cold)
  }
  if (trouble?.kind === 'server') await afterDeath(run, trouble)
}

function takeRemeasures(run: CellsRun): void {
  for (const cell of run.context.commands.takeRemeasures()) {
    const refusal = run.queue.remeasure(cell)
    const name = `context ${cell.contextTokens} at ${cell.concurrency}`
    if (refusal === undefined) {
      run.progress.doneCells = Math.max(0, run.progress.doneCells - 1)
      run.context.event('info', `${name} will be measured again`)
    } else run.context.event('warn', `${name} can't be measured again: ${refusal}`)
  }
}

/** Cell after cell until none is left. Throws a Cut where the person ends the run, BrokenOff where link or server do. */
export async function runCells(run: CellsRun): Promise<void> {
  const { context, queue, progress } = run
  for (;;) {
    await context.waits.untilReady()
    takeRemeasures(run)
    const cell = queue.next()
    if (!cell) return
    const { timeBudgetMinutes } = context.plan
    const elapsedSeconds = (context.clock.now() - run.startedMs) / 1000
    const cellSeconds = progress.expectedCellSeconds(cell)
    if (context.commands.isSkipped(cell)) settle(run, cell, 'skipped', 'skipped by the person')
    else if (
      !fitsTimeBudget({ minutes: timeBudgetMinutes, elapsedSeconds, cellSeconds, measuredCells: progress.measuredCells })
    ) {
      settle(run, cell, 'skipped', `the time budget of ${timeBudgetMinutes} minutes is used up`)
    } else await runCell(run, cell)
  }
}
