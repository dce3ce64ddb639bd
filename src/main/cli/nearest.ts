/** Edit distance with transpositions (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)])
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  const first = rows[0] ?? []
  for (let j = 0; j <= b.length; j++) first[j] = j
  for (let i = 1; i <= a.length; i++) {
    const row = rows[i] ?? []
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, at(i - 2, j - 2) + 1)
      row[j] = best
    }
  }
  return at(a.length, b.length)
}

/** The name a typo most likely meant; undefined where nothing is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const flat = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '')
  let best: { name: string; distance: number } | undefined
  for (const name of names) {
    const distance = editDistance(flat(typed), flat(name))
    if (!best || distance < best.distance) best = { name, distance }
  }
  if (!best) return undefined
  const limit = Math.max(2, Math.floor(best.name.length / 3))
  return best.distance <= limit && best.distance < flat(best.name).length ? best.name : undefined
}
