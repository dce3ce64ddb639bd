/** Student's t by the regularized incomplete beta function (continued fraction of Lentz; Numerical Recipes 6.4). */

const LANCZOS = [
  76.18009172947146, -86.5053203294168, 24.0140982408309, -1.231739572450155, 0.001208650973866179, -0.000005395239384953,
]

function logGamma(x: number): number {
  let series = 1.000000000190015
  let y = x
  for (const coefficient of LANCZOS) series += coefficient / ++y
  const t = x + 5.5
  return (x + 0.5) * Math.log(t) - t + Math.log((Math.sqrt(2 * Math.PI) * series) / x)
}

function betaFraction(a: number, b: number, x: number): number {
  const tiny = 1e-300
  let c = 1
  let d = 1 - ((a + b) * x) / (a + 1)
  d = 1 / (Math.abs(d) < tiny ? tiny : d)
  let h = d
  for (let m = 1; m <= 300; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 + even * d
    c = 1 + even / c
    d = 1 / (Math.abs(d) < tiny ? tiny : d)
    c = Math.abs(c) < tiny ? tiny : c
    h *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 + odd * d
    c = 1 + odd / c
    d = 1 / (Math.abs(d) < tiny ? tiny : d)
    c = Math.abs(c) < tiny ? tiny : c
    h *= d * c
    if (Math.abs(d * c - 1) < 1e-14) break
  }
  return h
}

function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(a, b, x)) / a : 1 - (front * betaFraction(b, a, 1 - x)) / b
}

/** P(T ≤ t) with `freedom` degrees. */
export function studentTCdf(t: number, freedom: number): number {
  const tail = incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
  return t >= 0 ? 1 - tail : tail
}

/** The t with P(T ≤ t) = p, for p in (0, 1); e.g. 2.262 for 0.975 and 9 degrees. */
export function studentTQuantile(p: number, freedom: number): number {
  if (p === 0.5) return 0
  if (p < 0.5) return -studentTQuantile(1 - p, freedom)
  let low = 0
  let high = 1
  while (studentTCdf(high, freedom) < p && high < 1e12) high *= 2
  for (let i = 0; i < 200 && high - low > 1e-12 * high; i += 1) {
    const middle = (low + high) / 2
    if (studentTCdf(middle, freedom) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}
