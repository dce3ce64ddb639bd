import type { Job } from '../../../shared/model/job.ts'
import type { PlannedCell } from '../../../shared/model/spool.ts'
import type { CellName } from './commands.ts'

export interface QueuedCell extends CellName {
  repeat: number
}

export interface CellQueue {
  next(): QueuedCell | undefined
  /** Puts a cell back to be the next one (paused, cut). */
  putBack(cell: QueuedCell): void
  waiting(): readonly QueuedCell[]
  /** A wish to measure a cell again; says why it can't be, where it can't. */
  remeasure(cell: CellName): string | undefined
  /** Number of the next attempt at a cell; counts it. */
  attemptNumber(cell: QueuedCell): number
  /** The server died in an attempt at the cell; answers how often it has, over all drivers of the run. */
  countDeath(cell: QueuedCell): number
}

const key = (cell: QueuedCell) => `${cell.contextTokens}/${cell.concurrency}/${cell.repeat}`

export function createCellQueue(planned: PlannedCell[], attempts: Job['attempts']): CellQueue {
  const waiting: QueuedCell[] = planned
    .filter((cell) => cell.verdict === 'run')
    .map(({ contextTokens, concurrency, repeat }) => ({ contextTokens, concurrency, repeat }))
  const counts = new Map(attempts.map((entry) => [key(entry), entry.attempts]))
  const deaths = new Map(attempts.map((entry) => [key(entry), entry.deaths]))
  const countUp = (map: Map<string, number>, cell: QueuedCell) => {
    const number = (map.get(key(cell)) ?? 0) + 1
    map.set(key(cell), number)
    return number
  }

  return {
    next: () => waiting.shift(),
    putBack: (cell) => void waiting.unshift(cell),
    waiting: () => waiting,
    remeasure({ contextTokens, concurrency }) {
      const cell = planned.find((entry) => entry.contextTokens === contextTokens && entry.concurrency === concurrency)
      if (!cell) return 'it is not in the plan'
      if (cell.verdict === 'over_capacity') return `it is over capacity: ${cell.reason ?? ''}`
      const again = { contextTokens, concurrency, repeat: cell.repeat }
      if (!waiting.some((entry) => key(entry) === key(again))) waiting.unshift(again)
      return undefined
    },
    attemptNumber: (cell) => countUp(counts, cell),
    countDeath: (cell) => countUp(deaths, cell),
  }
}
