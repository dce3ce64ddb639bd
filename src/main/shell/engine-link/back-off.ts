const FIRST_MS = 250
const LONGEST_MS = 15_000
/** Who lived this long starts from the first delay again. */
const SETTLED_MS = 30_000

/** Delay in ms before the next start: 250, 500, … 15,000, counted from starts that did not last. */
export function createBackOff() {
  let failures = 0
  return {
    next(livedMs: number): number {
      failures = livedMs >= SETTLED_MS ? 1 : failures + 1
      return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
    },
  }
}
