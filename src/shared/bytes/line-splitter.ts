const NEWLINE = 10
const RETURN = 13

export interface ByteLines {
  push(chunk: Uint8Array): void
  /** No more comes: what has no line break yet is given out as a line. */
  end(): void
  /** Bytes waiting for the end of their line. */
  readonly pendingBytes: number
}

/**
 * Bytes → lines (UTF-8, without their line break), however the reads cut them. A line longer than `maxBytes` is given out once, cut there
 * and marked, and the rest of it is passed over: the memory held is never more than the limit, the work never more than the bytes.
 * `atReturns`: a carriage return ends a line too.
 */
export function createByteLines(options: {
  maxBytes: number
  onLine: (line: string, isCut: boolean) => void
  atReturns?: boolean
}): ByteLines {
  const { maxBytes, onLine, atReturns = false } = options
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let parts: Uint8Array[] = []
  let pendingBytes = 0
  let skipping = false

  function give(isCut: boolean): void {
    const [first] = parts
    const whole = parts.length === 1 && first !== undefined ? first : join(parts, pendingBytes)
    parts = []
    pendingBytes = 0
    onLine(decoder.decode(whole), isCut)
  }

  /** Bytes of one line; they stay in the reader's buffer, so what waits longer than this push is copied. */
  function take(bytes: Uint8Array, isEnd: boolean): void {
    if (!skipping) {
      const room = maxBytes - pendingBytes
      if (bytes.length > room) {
        parts.push(bytes.subarray(0, room))
        pendingBytes = maxBytes
        give(true)
        skipping = true
      } else {
        if (bytes.length > 0) parts.push(isEnd ? bytes : new Uint8Array(bytes))
        pendingBytes += bytes.length
        if (isEnd) give(false)
      }
    }
    if (isEnd) skipping = false
  }

  return {
    push(chunk) {
      let from = 0
      let newline = chunk.indexOf(NEWLINE)
      let carriage = atReturns ? chunk.indexOf(RETURN) : -1
      for (;;) {
        const end = newline < 0 ? carriage : carriage < 0 ? newline : Math.min(newline, carriage)
        if (end < 0) break
        take(chunk.subarray(from, end), true)
        from = end + 1
        if (end === newline) newline = chunk.indexOf(NEWLINE, from)
        else carriage = chunk.indexOf(RETURN, from)
      }
      if (from < chunk.length) take(chunk.subarray(from), false)
    },
    end() {
      if (pendingBytes > 0) give(false)
      skipping = false
    },
    get pendingBytes() {
      return pendingBytes
    },
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
