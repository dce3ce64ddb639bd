import type { ErrorInfo } from '../../../shared/model/error.ts'
import type { SpoolEntry } from '../../../shared/model/spool.ts'
import { canRunGo, type RunState } from '../../../shared/model/states.ts'

export interface RunEnd {
  state: 'finished' | 'stopped' | 'failed' | 'interrupted'
  reason?: string
  error?: ErrorInfo
}

export interface RunStateMachine {
  readonly state: RunState
  go(state: RunState, reason?: string): void
  end(end: RunEnd): void
}

/** Walks the run through the table of states and says so in the spool. A driver that resumes begins at `interrupted`. */
export function createRunState(epoch: number, write: (entry: SpoolEntry) => void): RunStateMachine {
  let state: RunState = epoch > 1 ? 'interrupted' : 'planned'

  function check(to: RunState): void {
    if (!canRunGo(state, to)) throw new Error(`a run can't go from ${state} to ${to}`)
    state = to
  }

  return {
    get state() {
      return state
    },
    go(to, reason) {
      if (to === state) return
      check(to)
      write({ kind: 'state', state: to, ...(reason === undefined ? {} : { reason }) })
    },
    end(end) {
      check(end.state)
      write({ kind: 'end', ...end })
    },
  }
}
