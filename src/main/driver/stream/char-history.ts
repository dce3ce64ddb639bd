/** Characters are Unicode code points, as the published method counts them. */
export interface CharHistory {
  /** How many characters are held. */
  readonly length: number
  /** Code point at an index, 0 being the oldest held. */
  at(index: number): number
  push(codePoint: number): void
  /** The array behind it, and where the oldest character is in it; valid until the next push. */
  view(): { units: Uint16Array | Uint32Array; start: number; end: number }
}

/**
 * The last `limit` characters, growing as needed. 16 bits a character until the first one outside the basic plane comes: output of 128
 * streams then fits in a few dozen megabytes.
 */
export function createCharHistory(limit: number): CharHistory {
  let units: Uint16Array | Uint32Array = new Uint16Array(4096)
  let start = 0
  let end = 0

  function makeRoom(): void {
    const held = end - start
    if (held + 1 <= limit && units.length < limit * 1.25) {
      const grown = new (units instanceof Uint16Array ? Uint16Array : Uint32Array)(
        Math.min(units.length * 2, Math.ceil(limit * 1.25)),
      )
      if (grown.length > units.length) {
        grown.set(units.subarray(start, end))
        units = grown
        start = 0
        end = held
        return
      }
    }
    units.copyWithin(0, start, end)
    start = 0
    end = held
  }

  function push(codePoint: number): void {
    if (codePoint > 0xffff && units instanceof Uint16Array) units = Uint32Array.from(units)
    if (end - start === limit) start += 1
    if (end === units.length) makeRoom()
    units[end++] = codePoint
  }

  return {
    get length() {
      return end - start
    },
    at: (index) => units[start + index] as number,
    push,
    view: () => ({ units, start, end }),
  }
}
