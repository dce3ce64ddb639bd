import type { SpoolLine } from '../../../shared/model/spool.ts'
import { newsOf } from '../../../shared/run/index.ts'
import { timeOfDay } from '../live/render.ts'

/** One spool line → one plain line for a log, or nothing where it isn't worth one or was said already. */
export function createPlainLines(): (line: SpoolLine) => string | undefined {
  let said = ''
  return (line) => {
    const { event, factsSaid } = newsOf(line, said)
    said = factsSaid
    if (event === undefined) return undefined
    const level = line.kind === 'event' && line.level !== 'info' ? `${line.level}: ` : ''
    return `${timeOfDay(line.t)}  ${level}${event.text}`
  }
}
