import { fitPieces } from './fit-pieces.ts'

/** A text in two parts that can be lengthened: characters of a document, and a few short pieces at its end. */
interface Fitted {
  chars: number
  pieces: string[]
  counted: number
}

interface FitOptions {
  target: number
  /** What the server counts for this many characters of document and these pieces behind it. */
  count(chars: number, pieces: readonly string[]): Promise<number>
  /** Characters available. */
  maxChars: number
  /** First guess. */
  charsPerToken: number
  /** Count calls allowed. */
  calls: number
  /** A result this close is good enough to stop at (0: go on until it is exact). */
  tolerance: number
}

/** Below this the rest is made of small pieces. */
const FINE = 24
const MAX_FILLED = 100
/** Aim a little short, since words can be added one by one, but a document is only cut between words. */
const AIM_SHORT = 4

interface Search {
  options: FitOptions
  calls: number
  best: Fitted | undefined
}

async function probe(search: Search, chars: number, pieces: string[]): Promise<number> {
  search.calls += 1
  const counted = await search.options.count(chars, pieces)
  const { target } = search.options
  if (!search.best || Math.abs(counted - target) < Math.abs(search.best.counted - target))
    search.best = { chars, pieces, counted }
  return target - counted
}

const isGood = (search: Search): boolean =>
  search.best !== undefined && Math.abs(search.best.counted - search.options.target) <= search.options.tolerance

const mayGoOn = (search: Search): boolean => search.calls < search.options.calls && !isGood(search)

/** Secant steps from known points until only a few tokens are missing. Returns the document to add pieces to. */
async function fitDocument(search: Search, overhead: number): Promise<{ chars: number; tokens: number }> {
  const { options } = search
  let known = { chars: 0, tokens: overhead }
  let rate = 1 / options.charsPerToken
  // The last calls are kept for the pieces.
  while (search.calls < options.calls - 3 && !isGood(search)) {
    const missing = options.target - known.tokens
    if (missing >= 0 && missing <= FINE) break
    if (missing > 0 && known.chars === options.maxChars) break
    const chars = Math.max(0, Math.min(options.maxChars, Math.round(known.chars + (missing - AIM_SHORT) / rate)))
    if (chars === known.chars) break
    const tokens = options.target - (await probe(search, chars, []))
    // Over the whole length where the step is small: a few words say little about the rate.
    const step = Math.abs(chars - known.chars) > 2000 ? { chars: chars - known.chars, tokens: tokens - known.tokens } : undefined
    const slope = step && step.tokens !== 0 ? step.tokens / step.chars : (tokens - overhead) / Math.max(1, chars)
    if (slope > 0 && Number.isFinite(slope)) rate = slope
    known = { chars, tokens }
  }
  return known
}

/**
 * Finds the text that the server counts as exactly `target` tokens. A byte-level BPE's count isn't additive, so every candidate is
 * counted as a whole. Returns the closest one found within the allowed calls; undefined where even an empty document is too long.
 */
export async function fitLength(options: FitOptions): Promise<(Fitted & { calls: number }) | undefined> {
  const search: Search = { options, calls: 0, best: undefined }
  const left = await probe(search, 0, [])
  if (left < 0) return undefined
  const { chars, tokens } = await fitDocument(search, options.target - left)
  const missing = options.target - tokens
  // A document that ended too early isn't made longer with fillers.
  if (Math.abs(missing) <= MAX_FILLED) {
    await fitPieces({
      left: missing,
      pieces: [],
      probe: (pieces) => probe(search, chars, [...pieces]),
      mayGoOn: () => mayGoOn(search),
    })
  }
  return search.best && { ...search.best, calls: search.calls }
}
