import { useApp } from '../../../state/context.ts'
import { cellName } from '../grid/cell-text.ts'
import { confirmlessUndo, showDone, showProblem } from '../../../ui/toasts.tsx'
import type { RunState } from '../../../../shared/model/states.ts'
import { useSweep } from '../state/sweep-feed.ts'
import type { SweepState } from '../state/sweep-state.ts'
import { type Possible, possible } from './controls.ts'

export interface RunControl {
  can: Possible
  pause: () => Promise<void>
  goOn: () => Promise<void>
  resume: () => Promise<void>
  /** The cell that is being measured. */
  skipCurrent: () => Promise<void>
  skip: (contextTokens: number, concurrency: number) => Promise<void>
  remeasure: (contextTokens: number, concurrency: number) => Promise<void>
  /** Can be taken back: the run goes on with what is missing. */
  stop: () => Promise<void>
}

const isOver = (state: RunState) => state === 'stopped' || state === 'failed'

function hasMissing(cells: SweepState['cells']): boolean {
  for (const { status } of cells.values()) if (status === 'cancelled' || status === 'pending') return true
  return false
}

export function useRunControl(): RunControl {
  const { client } = useApp()
  const runId = useSweep((state) => state.head.runId)
  const state = useSweep((state) => state.head.state)
  const link = useSweep((state) => state.head.link)
  const missing = useSweep((state) => state.head.totalCells - state.head.doneCells)
  const isCancelled = useSweep(({ cells, head }) => isOver(head.state) && hasMissing(cells))
  const attempt = async (act: () => Promise<unknown>, done?: string) => {
    try {
      await act()
      if (done !== undefined) showDone(done)
    } catch (error) {
      showProblem(error)
    }
  }
  const { control, resume } = client.sweeps
  const again = () => resume.mutate({ runId })
  return {
    can: possible(state, link, isCancelled ? Math.max(1, missing) : missing),
    pause: () => attempt(() => control.mutate({ runId, kind: 'pause' }), 'Pauses after the cell that is being measured'),
    goOn: () => attempt(() => control.mutate({ runId, kind: 'resume' })),
    resume: () => attempt(again),
    skipCurrent: () => attempt(() => control.mutate({ runId, kind: 'skip' })),
    skip: (contextTokens, concurrency) =>
      attempt(
        () => control.mutate({ runId, kind: 'skip', contextTokens, concurrency }),
        `Skips ${cellName(contextTokens, concurrency)}`,
      ),
    remeasure: (contextTokens, concurrency) =>
      attempt(
        () => control.mutate({ runId, kind: 'remeasure', contextTokens, concurrency }),
        `Measures ${cellName(contextTokens, concurrency)} again`,
      ),
    stop: async () => {
      await confirmlessUndo({
        text: 'Stopped. What is measured is kept.',
        act: () => control.mutate({ runId, kind: 'stop' }),
        undo: again,
      })
    },
  }
}
