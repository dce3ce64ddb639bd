import { countText } from './numbers.ts'

const K = 1024

/**
 * Label of a context in tokens as the published matrices write it: 8192 → "8K", 257024 → "251K", 1000 → "1,000".
 * One token below a whole K is labelled as that K: it is the longest prefill a model of that length can take (docs/measurement.md 1).
 */
export function contextLabel(tokens: number): string {
  if (tokens >= K && tokens % K === 0) return `${countText(tokens / K)}K`
  if (tokens >= 8 * K && (tokens + 1) % K === 0) return `${countText((tokens + 1) / K)}K`
  return countText(tokens)
}

/** One context as a person types it: "8k", "251K", "max", "0", "1,000", "1000". Throws RangeError with a sentence for the person. */
export function parseContext(text: string): number | 'max' {
  const word = text.trim().toLowerCase()
  if (word === 'max') return 'max'
  const match = /^(\d{1,3}(?:,\d{3})+|\d+)(k?)$/.exec(word)
  if (match === null)
    throw new RangeError(`"${text.trim()}" is not a context: write a number of tokens, like 8192, 8k (= 8192) or max`)
  const tokens = Number((match[1] ?? '').replaceAll(',', '')) * (match[2] === 'k' ? K : 1)
  if (!Number.isSafeInteger(tokens)) throw new RangeError(`"${text.trim()}" is too large for a context`)
  return tokens
}

/** A list as the command line takes it: "0,8k,251k,max" (here a comma always separates). Throws RangeError. */
export function parseContexts(text: string): (number | 'max')[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  if (words.length === 0) throw new RangeError('the list of contexts is empty')
  return words.map(parseContext)
}
