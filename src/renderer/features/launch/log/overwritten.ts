/* oxlint-disable no-control-regex -- control characters are what this is about */

/**
 * Progress bars come as lines that overwrite themselves (`\r`). A bar that is wider than the terminal takes several rows, and `\r` alone would
 * leave all but the last of them behind: what is overwritten is taken away row by row instead, and what is overwritten at once isn't written
 * at all. `columns` is the terminal's width now.
 */
export function createOverwriter(columns: () => number): (text: string) => string {
  /** Characters of the unfinished line on the screen. */
  let length = 0
  /** The last piece ended with `\r`: what follows decides whether it overwrites or ends the line. */
  let isReturning = false

  const takeAway = () => {
    const rowsAbove = length === 0 ? 0 : Math.floor((length - 1) / Math.max(1, columns()))
    length = 0
    return `\r${rowsAbove > 0 ? `\u001b[${String(rowsAbove)}A` : ''}\u001b[J`
  }
  const writeLine = (line: string): string => {
    const parts = line.split('\r')
    const last = parts.pop() ?? ''
    let out = ''
    // A bar that is gone when it is over ends with `\r` and nothing behind it.
    const shown = last === '' ? (parts.pop() ?? '') : last
    if (parts.length > 0) out += takeAway()
    length += shown.replace(/\u001b\[[\d;]*m/g, '').length
    return out + shown
  }
  return (text) => {
    const whole = (isReturning ? '\r' : '') + text
    isReturning = whole.endsWith('\r')
    const lines = (isReturning ? whole.slice(0, -1) : whole).replaceAll('\r\n', '\n').split('\n')
    return lines
      .map((line, index) => {
        const out = writeLine(line)
        if (index < lines.length - 1) length = 0
        return out
      })
      .join('\n')
  }
}
