const FIRST_BYTES = 16 * 1024

interface ByteCollector {
  /** False where the bytes don't fit any more: nothing of them was taken. */
  add(bytes: Uint8Array): boolean
  readonly length: number
  /** All bytes so far as UTF-8; the collector is empty afterwards. */
  take(): string
}

/**
 * Bytes up to a limit in one growing piece. A list of the pieces as they came would cost a hundred bytes for each one, and a server may
 * send them one by one.
 */
export function createByteCollector(maxBytes: number): ByteCollector {
  let held = new Uint8Array(0)
  let length = 0
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return {
    add(bytes) {
      const wanted = length + bytes.length
      if (wanted > maxBytes) return false
      if (wanted > held.length) {
        const larger = new Uint8Array(Math.min(maxBytes, Math.max(FIRST_BYTES, 2 * held.length, wanted)))
        larger.set(held.subarray(0, length))
        held = larger
      }
      held.set(bytes, length)
      length = wanted
      return true
    },
    get length() {
      return length
    },
    take() {
      const text = decoder.decode(held.subarray(0, length))
      // A large one is not kept for the small ones that follow.
      if (held.length > FIRST_BYTES) held = new Uint8Array(0)
      length = 0
      return text
    },
  }
}
