/** A line that never ends is no event stream; beyond this the scanner gives up (16 MiB). */
const MAX_PENDING_BYTES = 16 * 1024 * 1024

export interface SseScanner {
  /** Throws a RangeError when a line grows beyond 16 MiB. */
  push(chunk: Buffer): void
  /** The stream has ended: an event without its closing blank line is still given out (some servers end that way). */
  end(): void
}

/**
 * Splits a server-sent event stream into the `data` of its events, whatever way the reads cut it. Only whole lines are decoded, and
 * a line end is never inside a UTF-8 sequence, so no decoder state is needed.
 */
export function createSseScanner(onEvent: (data: string, eventName: string | undefined) => void): SseScanner {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let data: string | undefined
  let eventName: string | undefined
  let atStart = true

  function dispatch(): void {
    const found = data
    const name = eventName
    data = undefined
    eventName = undefined
    if (found !== undefined) onEvent(found, name)
  }

  function takeField(text: string, from: number, end: number): void {
    if (text.startsWith('data:', from)) {
      const value = text.slice(text.charCodeAt(from + 5) === 32 ? from + 6 : from + 5, end)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (text.startsWith('event:', from)) {
      eventName = text.slice(from + 6, end).trim()
    }
  }

  function scan(text: string): void {
    let from = atStart && text.charCodeAt(0) === 0xfeff ? 1 : 0
    atStart = false
    while (from < text.length) {
      const newline = text.indexOf('\n', from)
      const lineEnd = newline < 0 ? text.length : newline
      const end = lineEnd > from && text.charCodeAt(lineEnd - 1) === 13 ? lineEnd - 1 : lineEnd
      if (end === from) dispatch()
      else takeField(text, from, end)
      from = lineEnd + 1
    }
  }

  function keep(bytes: Buffer): void {
    pendingBytes += bytes.length
    if (pendingBytes > MAX_PENDING_BYTES) throw new RangeError('a line of the event stream is longer than 16 MiB')
    // A copy: a few bytes must not keep a whole read buffer alive.
    pending.push(Buffer.from(bytes))
  }

  function push(chunk: Buffer): void {
    const lastNewline = chunk.lastIndexOf(10)
    if (lastNewline < 0) {
      keep(chunk)
      return
    }
    const end = lastNewline + 1
    if (pendingBytes === 0) {
      scan(chunk.toString('utf8', 0, end))
    } else {
      const whole = Buffer.concat([...pending, chunk.subarray(0, end)])
      pending = []
      pendingBytes = 0
      scan(whole.toString('utf8'))
    }
    if (end < chunk.length) keep(chunk.subarray(end))
  }

  function finish(): void {
    if (pendingBytes > 0) {
      const rest = Buffer.concat(pending).toString('utf8')
      pending = []
      pendingBytes = 0
      scan(rest)
    }
    dispatch()
  }

  return { push, end: finish }
}
