import { FILLERS } from './words.ts'

/** From coarse to fine: a word, a letter, a mark that adds as little as any tokenizer can. */
const SETS: readonly (readonly string[])[] = [
  FILLERS.map((word) => ` ${word}`),
  [' a', ' k', ' e', ' b', ' m', ' g', ' c', ' n', ' h', ' d'],
  ['.', '!', '?', ';', ':'],
]

/** `count` pieces that lengthen a text by about a token each; `from` goes on behind so many. */
export function fillerPieces(count: number, set = 0, from = 0): string[] {
  const list = SETS[set] as readonly string[]
  return Array.from({ length: count }, (_, index) => list[((from + index) * 7) % list.length] as string)
}

interface FitPiecesOptions {
  /** Tokens that are missing (negative: too many) with the pieces there are. */
  left: number
  pieces: string[]
  /** Counts the text with these pieces; returns what is missing then. */
  probe: (pieces: readonly string[]) => Promise<number>
  mayGoOn: () => boolean
}

/** Adds and takes away small pieces until nothing is missing; a finer set of pieces where a coarser one moves in steps too large. */
export async function fitPieces({ left: missing, pieces: start, probe, mayGoOn }: FitPiecesOptions): Promise<void> {
  let pieces = start
  let left = missing
  let set = 0
  let tokensPerPiece: number | undefined
  while (left !== 0 && mayGoOn()) {
    const before = { left, length: pieces.length }
    let hoped = left
    if (hoped < 0) {
      if (pieces.length === 0) return
      const removed = Math.min(pieces.length, Math.ceil(-hoped / (tokensPerPiece ?? 1)))
      pieces = pieces.slice(0, pieces.length - removed)
      hoped += Math.round(removed * (tokensPerPiece ?? 1))
    }
    const mixed = hoped !== left
    if (hoped > 0) {
      if (tokensPerPiece !== undefined && (mixed || hoped < tokensPerPiece) && set < SETS.length - 1) {
        set += 1
        tokensPerPiece = undefined
      }
      pieces = [...pieces, ...fillerPieces(Math.max(1, Math.floor(hoped / (tokensPerPiece ?? 1))), set, pieces.length)]
    }
    left = await probe(pieces)
    const grown = pieces.length - before.length
    // Only a step of one kind tells what a piece is worth.
    if (grown !== 0 && (!mixed || hoped <= 0)) tokensPerPiece = Math.max(0.5, (before.left - left) / grown)
  }
}
