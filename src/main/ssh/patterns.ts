/** OpenSSH's patterns (ssh_config(5) PATTERNS): `*` any characters, `?` exactly one. Linear in practice, no regular expressions. */
export function matchesPattern(text: string, pattern: string): boolean {
  let at = 0
  let star = -1
  let resume = 0
  let p = 0
  while (at < text.length) {
    if (pattern[p] === '*') {
      star = p++
      resume = at
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[at])) {
      p++
      at++
    } else if (star >= 0) {
      p = star + 1
      at = ++resume
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

/** A list matches when one pattern does and no negated one (`!pattern`) does, wherever it stands. */
export function matchesPatternList(text: string, patterns: readonly string[]): boolean {
  let matched = false
  for (const entry of patterns) {
    const negated = entry.startsWith('!')
    if (!matchesPattern(text, negated ? entry.slice(1) : entry)) continue
    if (negated) return false
    matched = true
  }
  return matched
}
