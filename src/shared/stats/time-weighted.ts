/** Mean over [openMs, closeMs) of how many of the intervals are running: Σ overlap ÷ length. 0 for an empty window. */
export function timeWeightedMean(
  intervals: Iterable<readonly [fromMs: number, toMs: number]>,
  openMs: number,
  closeMs: number,
): number {
  if (closeMs <= openMs) return 0
  let covered = 0
  for (const [from, to] of intervals) covered += Math.max(0, Math.min(to, closeMs) - Math.max(from, openMs))
  return covered / (closeMs - openMs)
}
