interface Comparison {
  /** (b − a) ÷ a in percent. */
  differencePercent: number
  /** What the two half-widths together can explain, in percent. */
  noisePercent: number
  insideNoise: boolean
}

/** Compares b with a, each with its 95 % half-width in percent. Independent errors add as squares. Undefined where a isn't positive. */
export function compareRates(
  a: { value: number; halfWidthPercent: number },
  b: { value: number; halfWidthPercent: number },
): Comparison | undefined {
  if (!(a.value > 0)) return undefined
  const differencePercent = (100 * (b.value - a.value)) / a.value
  const noisePercent = Math.hypot(a.halfWidthPercent, (b.halfWidthPercent * b.value) / a.value)
  return { differencePercent, noisePercent, insideNoise: Math.abs(differencePercent) <= noisePercent }
}
