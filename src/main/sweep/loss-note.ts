import type { SpoolChunk } from './spool-tail.ts'

interface Loss {
  level: 'warn' | 'error'
  text: string
}

/**
 * What a run's events are to say of what of its spool didn't get here: lines that are missing, and lines that were left out: of these the first one with
 * what was wrong, then each tenfold, so that a spool full of nonsense doesn't fill the history with as many events.
 */
export function createLossNote(): (chunk: Pick<SpoolChunk, 'leftOut' | 'missing'>) => Loss[] {
  let total = 0
  let nextSaid = 1
  let gaps = 0
  let nextSaidGap = 1
  return ({ leftOut: { count, first = '' }, missing }) => {
    const losses: Loss[] = []
    for (const { from, to } of missing) {
      gaps += 1
      if (gaps < nextSaidGap) continue
      nextSaidGap *= 10
      const which = from === to ? `Line ${String(from)} is` : `Lines ${String(from)} to ${String(to)} are`
      const many = gaps === 1 ? '' : ` (gap number ${String(gaps)})`
      losses.push({ level: 'error', text: `${which} missing in the driver's spool${many}: what was said there is lost` })
    }
    total += count
    if (total < nextSaid) return losses
    while (nextSaid <= total) nextSaid *= 10
    const many = total === 1 ? 'one line was' : `${String(total)} lines were`
    losses.push({ level: 'warn', text: `In the driver's spool ${many} left out: ${first}` })
    return losses
  }
}
