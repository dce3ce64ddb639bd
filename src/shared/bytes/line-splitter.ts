import { createByteCollector } from './collector.ts'

const NEWLINE = 10
const RETURN = 13

interface ByteLines {
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
  const held = createByteCollector(maxBytes)
  let skipping = false

  function take(bytes: Uint8Array, isEnd: boolean): void {
    if (!skipping) {
      if (!held.add(bytes)) {
        held.add(bytes.subarray(0, maxBytes - held.length))
        onLine(held.take(), true)
        skipping = true
      } else if (isEnd) {
        onLine(held.take(), false)
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
      if (held.length > 0) onLine(held.take(), false)
      skipping = false
    },
    get pendingBytes() {
      return held.length
    },
  }
}
