import type { Plan } from '../../../shared/model/plan.ts'
import { type EstimateKnowledge, estimateCellSeconds, estimatePrefillSeconds } from '../../../shared/planning/index.ts'
import type { CellName } from './commands.ts'

/** Counts what is done and tells what remains, learning from the cells measured so far. */
export interface RunProgress {
  doneCells: number
  totalCells: number
  /** Cells measured by this driver. */
  readonly measuredCells: number
  begin(cell: CellName, nowMs: number): void
  /** A finished attempt: whole length, window and cold prefill in seconds. */
  finish(seconds: number, windowSeconds: number, coldSeconds: number): void
  expectedCellSeconds(cell: CellName): number
  remainingSeconds(waiting: Iterable<CellName>, nowMs: number): number
}

export function createRunProgress(plan: Plan, prefillSeconds: ReadonlyMap<number, number>): RunProgress {
  let overheadSum = 0
  let measured = 0
  let current: { cell: CellName; sinceMs: number } | undefined
  const knowledge = (): EstimateKnowledge => ({
    prefillSeconds,
    ...(measured > 0 ? { cellOverheadSeconds: overheadSum / measured } : {}),
  })

  return {
    doneCells: 0,
    totalCells: 0,
    get measuredCells() {
      return measured
    },
    begin(cell, nowMs) {
      current = { cell, sinceMs: nowMs }
    },
    finish(seconds, windowSeconds, coldSeconds) {
      overheadSum += Math.max(0, seconds - windowSeconds - coldSeconds)
      measured += 1
      current = undefined
    },
    expectedCellSeconds: (cell) => estimateCellSeconds(plan, cell, knowledge()),
    remainingSeconds(waiting, nowMs) {
      const known = knowledge()
      const unseen = new Set<number>()
      let seconds = 0
      for (const cell of waiting) {
        seconds += estimateCellSeconds(plan, cell, known)
        if (!prefillSeconds.has(cell.contextTokens)) unseen.add(cell.contextTokens)
      }
      for (const context of unseen) seconds += estimatePrefillSeconds(context, known)
      if (current) {
        const whole = estimateCellSeconds(plan, current.cell, known)
        seconds += Math.max(0, whole - (nowMs - current.sinceMs) / 1000)
      }
      return seconds
    },
  }
}
