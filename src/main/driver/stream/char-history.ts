/** Characters are Unicode code points, as the published method counts them. */
export interface CharHistory {
  /** Adds the first `count` code points of `codes`; older characters than the limit are forgotten. */
  append(codes: Uint32Array, count: number): void
  /** The array behind it, and where its characters are in it; valid until the next append. */
  view(): { units: Uint16Array | Uint32Array; start: number; end: number }
}

/**
 * The last `limit` characters, growing as needed. 16 bits a character until the first one outside the basic plane comes: the output of
 * 128 streams then fits in a few dozen megabytes.
 */
export function createCharHistory(limit: number): CharHistory {
  let units: Uint16Array | Uint32Array = new Uint16Array(4096)
  let start = 0
  let end = 0

  /** Room for `count` more at the end: by growing, or by moving what is kept to the front. */
  function makeRoom(count: number): void {
    if (end + count <= units.length) return
    const kept = units.subarray(start, end)
    const wanted = Math.min(Math.max(units.length * 2, kept.length + count), Math.ceil(limit * 1.25) + count)
    if (kept.length + count > units.length / 2 && wanted > units.length) {
      const grown = new (units instanceof Uint16Array ? Uint16Array : Uint32Array)(wanted)
      grown.set(kept)
      units = grown
    } else {
      units.copyWithin(0, start, end)
    }
    end = kept.length
    start = 0
  }

  return {
    append(codes, count) {
      if (units instanceof Uint16Array && codes.subarray(0, count).some((code) => code > 0xffff)) units = Uint32Array.from(units)
      makeRoom(count)
      units.set(codes.subarray(0, count), end)
      end += count
      start = Math.max(start, end - limit)
    },
    view: () => ({ units, start, end }),
  }
}
