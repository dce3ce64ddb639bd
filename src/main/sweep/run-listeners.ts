import type { SweepLink } from '../../shared/contract/sweeps.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import type { RunsStore } from '../store/index.ts'

export type LinkState = { state: Exclude<SweepLink, 'not_attached'>; reason?: string }

/** Who wants to hear of a run's lines and of the way to its driver. A listener that throws is its owner's problem, not the sweep's. */
export function createRunListeners(runs: RunsStore, runId: string) {
  const lineListeners = new Set<(line: SpoolLine) => void>()
  const linkListeners = new Set<(state: LinkState) => void>()
  let link: LinkState = { state: 'reading' }

  function tell<Value>(listener: (value: Value) => void, value: Value): void {
    try {
      listener(value)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }

  return {
    /** Lines that are stored come first; then each as it is stored. */
    onLine: (listener: (line: SpoolLine) => void, options: { afterLine?: number } = {}) => {
      for (const line of runs.lines(runId, options.afterLine)) tell(listener, line)
      lineListeners.add(listener)
      return () => {
        lineListeners.delete(listener)
      }
    },
    /** The state of the moment comes first. */
    onLink: (listener: (state: LinkState) => void) => {
      tell(listener, link)
      linkListeners.add(listener)
      return () => {
        linkListeners.delete(listener)
      }
    },
    lines: (lines: SpoolLine[]) => {
      for (const line of lines) for (const listener of lineListeners) tell(listener, line)
    },
    link: (state: LinkState) => {
      if (state.state === link.state && state.reason === link.reason) return
      link = state
      for (const listener of linkListeners) tell(listener, state)
    },
  }
}
