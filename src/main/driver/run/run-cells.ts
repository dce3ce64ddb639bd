import type { Attempt } from '../../../shared/model/cell.ts'
import { fitsTimeBudget } from '../../../shared/planning/index.ts'
import { type CellMemory, runAttempt } from './attempt.ts'
import type { CellQueue, QueuedCell } from './cell-queue.ts'
import { Cut } from './cut.ts'
import { failedPrefill } from './prefill.ts'
import type { PrefillBook } from './prefill-ledger.ts'
import type { RunProgress } from './progress.ts'
import type { RunStateMachine } from './run-state.ts'
import { afterDeath, findDeath } from './server-gone.ts'
import type { SweepContext } from './sweep-context.ts'

export interface CellsRun {
  context: SweepContext
  queue: CellQueue
  memory: CellMemory
  prefills: PrefillBook
  progress: RunProgress
  runState: RunStateMachine
  startedMs: number
}

/** Waits while the person has paused. Throws a Cut where the run is to end. */
export async function waitWhilePaused({ context, runState }: Pick<CellsRun, 'context' | 'runState'>): Promise<void> {
  const { commands } = context
  if (commands.paused && !commands.ending) {
    runState.go('paused', 'paused by the person')
    await commands.whenGoing()
    if (!commands.ending) runState.go('running')
  }
  if (commands.ending) throw new Cut(commands.ending)
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

async function runCell(run: CellsRun, cell: QueuedCell): Promise<void> {
  const { context, memory, progress, prefills } = run
  progress.begin(cell, context.clock.now())
  const seenBefore = prefills.seconds.has(cell.contextTokens)
  const attempt = run.queue.attemptNumber(cell)
  const { record, cut } = await runAttempt(context, memory, { ...cell, attempt })
  if (!record) {
    run.queue.putBack(cell)
    return
  }
  const death = record.status === 'error' ? await findDeath(context, cut) : undefined
  if (death) {
    record.reason = `the server is gone: ${death.cause} (${record.reason ?? ''})`
    if (death.logLines.length > 0) record.logLines = death.logLines
  }
  context.write({ kind: 'attempt', record })
  progress.doneCells += 1
  if (record.status === 'valid') {
    const cold = seenBefore ? 0 : (prefills.seconds.get(cell.contextTokens) ?? 0)
    progress.finish(secondsOf(record), record.figures.windowSeconds ?? 0, cold)
  }
  if (death) await afterDeath(context, memory, death)
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

/** Cell after cell until none is left. Throws a Cut where the person ends the run, ServerGone where the server did. */
export async function runCells(run: CellsRun): Promise<void> {
  const { context, queue, progress } = run
  for (;;) {
    await waitWhilePaused(run)
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
