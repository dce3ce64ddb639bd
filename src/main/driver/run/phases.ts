import type { SpoolEntry } from '../../../shared/model/spool.ts'
import { type CellPhase, canCellGo } from '../../../shared/model/states.ts'
import type { Clock } from './clock.ts'
import type { CellPlace } from './prompt-book.ts'

export interface Phases {
  readonly current: CellPhase
  go(phase: CellPhase, detail?: string): void
  /** Seconds spent in each phase so far. */
  seconds(): Record<string, number>
}

/** Walks a cell through the table of states, says so in the spool and keeps the time of each phase. */
export function createPhases(place: CellPlace, clock: Clock, write: (entry: SpoolEntry) => void): Phases {
  const spent: Record<string, number> = {}
  let current: CellPhase = 'waiting'
  let sinceMs = clock.now()

  function settle(): void {
    const now = clock.now()
    if (current !== 'waiting' && current !== 'done') spent[current] = (spent[current] ?? 0) + (now - sinceMs) / 1000
    sinceMs = now
  }

  return {
    get current() {
      return current
    },
    go(phase, detail) {
      if (!canCellGo(current, phase)) throw new Error(`a cell can't go from ${current} to ${phase}`)
      settle()
      current = phase
      write({ kind: 'cell', ...place, phase, ...(detail === undefined ? {} : { detail }) })
    },
    seconds() {
      settle()
      return { ...spent }
    },
  }
}
