import { looksRandom } from './assignments.ts'
import { isPlainValue } from './names.ts'
import { REDACTED } from './redacted.ts'
import { redactWords } from './commands.ts'

/**
 * The secret values that words of a command hold (NAME=value, --flag=value, JSON, addresses), for a redactor that is to know them wherever
 * they come up again. The words on their own are not enough: a server repeats the password of an address, not the address.
 */
export function secretParts(words: readonly string[]): string[] {
  const shown = redactWords(words)
  const parts = words.flatMap((word, at) => hiddenIn(word, shown[at] ?? ''))
  // `user:password` of an address, and what stands behind a header's name or scheme.
  const inner = parts.flatMap((part) => [part, ...part.split(/[:=,\s]+/).filter(looksRandom), part.slice(part.indexOf(':') + 1)])
  return [...new Set(inner)].filter((part) => !isPlainValue(part))
}

/** What of a text is no longer there: redacting leaves everything else in its place. */
function hiddenIn(text: string, shown: string): string[] {
  const kept = shown.split(REDACTED)
  const parts: string[] = []
  let at = kept[0]?.length ?? 0
  for (const piece of kept.slice(1)) {
    const next = piece === '' ? text.length : text.indexOf(piece, at)
    const end = next < 0 ? text.length : next
    if (end > at) parts.push(text.slice(at, end))
    at = end + piece.length
  }
  return parts
}
