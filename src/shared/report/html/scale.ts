/** Ticks of 1, 2 and 5 times powers of ten that enclose the values; what they span is the axis. */
export function logTicks(low: number, high: number): number[] {
  const steps: number[] = []
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)) + 1; power += 1) {
    for (const digit of [1, 2, 5]) steps.push(digit * 10 ** power)
  }
  const first = Math.max(
    0,
    steps.findLastIndex((step) => step <= low * 1.000001),
  )
  const after = steps.findIndex((step) => step >= high * 0.999999)
  const last = after === -1 ? steps.length - 1 : Math.max(after, first + 1)
  return steps.slice(first, last + 1)
}

/** Position of a value between the first and the last tick: 0 … 1, logarithmic. */
export function logShare(value: number, ticks: readonly number[]): number {
  const low = Math.log(ticks[0] ?? 1)
  const high = Math.log(ticks.at(-1) ?? 10)
  return (Math.log(value) - low) / (high - low)
}

/** Moves labels apart so that none overlaps, keeping their order and the limits; returns positions in the order given. */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((at, index) => ({ at, index })).sort((a, b) => a.at - b.at)
  order.forEach((label, index) => {
    const before = order[index - 1]
    label.at = Math.max(label.at, before === undefined ? low : before.at + gap)
  })
  for (let index = order.length - 1; index >= 0; index -= 1) {
    const label = order[index]
    const after = order[index + 1]
    if (label !== undefined) label.at = Math.min(label.at, after === undefined ? high : after.at - gap)
  }
  const placed = [...wanted]
  for (const label of order) placed[label.index] = label.at
  return placed
}
