import type { SpoolLine } from '../../../shared/model/spool.ts'
import { spoolText } from '../../../shared/run/index.ts'
import { timeOfDay } from '../live/render.ts'

/** One spool line → one plain line for a log, or nothing where it isn't worth one or was said already. */
export function createPlainLines(): (line: SpoolLine) => string | undefined {
  let factsSaid = ''
  return (line) => {
    const text = spoolText(line)
    if (text === undefined) return undefined
    if (line.kind === 'facts') {
      // Facts come again when a stream has told more; most of that isn't in this line.
      if (factsSaid.startsWith(text)) return undefined
      factsSaid = text
    }
    const level = line.kind === 'event' && line.level !== 'info' ? `${line.level}: ` : ''
    return `${timeOfDay(line.t)}  ${level}${text}`
  }
}
