import type { RunsStore } from '../store/index.ts'
import type { SpoolChunk } from './spool-tail.ts'

/**
 * Says in a run's events what of its spool didn't get here: lines that are missing, and lines that were left out: of these the first one with
 * what was wrong, then each tenfold, so that a spool full of nonsense doesn't fill the history with as many events.
 */
export function createLossNote(runs: RunsStore, runId: string): (chunk: Pick<SpoolChunk, 'leftOut' | 'missing'>) => void {
  let total = 0
  let nextSaid = 1
  let gaps = 0
  let nextSaidGap = 1
  return ({ leftOut: { count, first = '' }, missing }) => {
    for (const { from, to } of missing) {
      gaps += 1
      if (gaps < nextSaidGap) continue
      nextSaidGap *= 10
      const which = from === to ? `Line ${String(from)} is` : `Lines ${String(from)} to ${String(to)} are`
      const many = gaps === 1 ? '' : ` (gap number ${String(gaps)})`
      runs.addEvent(runId, 'error', `${which} missing in the driver's spool${many}: what was said there is lost`)
    }
    total += count
    if (total < nextSaid) return
    while (nextSaid <= total) nextSaid *= 10
    const many = total === 1 ? 'one line was' : `${String(total)} lines were`
    runs.addEvent(runId, 'warn', `In the driver's spool ${many} left out: ${first}`)
  }
}
