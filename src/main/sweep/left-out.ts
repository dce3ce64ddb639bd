import type { SpoolChunk } from './spool-tail.ts'

/**
 * Says in a run's events that lines of its spool were left out: the first one with what was wrong, then each tenfold, so that a spool full
 * of nonsense doesn't fill the history with as many events.
 */
export function createLeftOutNote(say: (text: string) => void): (leftOut: SpoolChunk['leftOut']) => void {
  let total = 0
  let nextSaid = 1
  return ({ count, first = '' }) => {
    total += count
    if (total < nextSaid) return
    while (nextSaid <= total) nextSaid *= 10
    const many = total === 1 ? 'one line was' : `${String(total)} lines were`
    say(`In the driver's spool ${many} left out: ${first}`)
  }
}
