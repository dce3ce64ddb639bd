import { createAnsiFilter, harmless } from '../../shared/format/index.ts'

/**
 * A log on its way to a terminal or a pipe, piece by piece: text, lines and, where wanted, colours. A bar that would be drawn over goes on
 * in a new line, so that nothing a log says can be covered up by what it says next.
 */
export function createLogText(colours: boolean): (piece: string) => string {
  const filter = createAnsiFilter()
  let endedInReturn = false
  return (piece) => {
    const text = (endedInReturn ? '\r' : '') + filter(piece)
    endedInReturn = text.endsWith('\r')
    const whole = endedInReturn ? text.slice(0, -1) : text
    return harmless(whole.replaceAll('\r\n', '\n').replaceAll('\r', '\n'), { colours })
  }
}
