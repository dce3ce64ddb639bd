/** A line that never ends is not waited for. */
const LONGEST = 64 * 1024

/** Takes secrets out of a log that comes in pieces: line by line, so that none is cut in two between pieces. */
export function createLogRedaction(redact: (text: string) => string): { push: (piece: string) => string; end: () => string } {
  let waiting = ''
  return {
    push: (piece) => {
      const text = waiting + piece
      const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
      const cut = end === 0 && text.length > LONGEST ? text.length : end
      waiting = text.slice(cut)
      return cut === 0 ? '' : redact(text.slice(0, cut))
    },
    end: () => {
      const rest = waiting
      waiting = ''
      return rest === '' ? '' : redact(rest)
    },
  }
}
