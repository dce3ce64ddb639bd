const QUOTE = 34
const BACKSLASH = 92

/** Nothing that is honest nests deeper; ten thousand brackets cost a parser its stack or half a gigabyte. */
const MAX_DEPTH = 64

/** JSON.parse for what others wrote: throws a SyntaxError where it is no JSON, or nests deeper than 64. */
export function readJson(text: string, maxDepth = MAX_DEPTH): unknown {
  if (isDeeperThan(text, maxDepth)) throw new SyntaxError(`JSON that nests deeper than ${String(maxDepth)}`)
  return JSON.parse(text)
}

function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = closingQuote(text, at)
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1
    }
  }
  return false
}

/** Where the string ends that begins at `open`; the text's end where it doesn't. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return text.length
}
