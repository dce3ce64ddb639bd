import type { TokenSink } from './tokenizer.ts'

const BLOCK_TOKENS = 16

/** Chained hashes of a prompt's full blocks: two prompts share the leading blocks whose hashes are equal. */
interface PromptBlocks extends TokenSink {
  readonly hashes: number[]
}

export function createPromptBlocks(salt = 0): PromptBlocks {
  const hashes: number[] = []
  let high = 0x9e3779b9 ^ salt
  let low = 0x85ebca6b
  let filled = 0
  return {
    hashes,
    token(hash) {
      high = Math.imul(high ^ hash, 0x01000193) + 0x7f4a7c15
      low = Math.imul(low ^ (hash >>> 7) ^ (hash << 9), 0x5bd1e995) ^ (high >>> 13)
      filled += 1
      if (filled < BLOCK_TOKENS) return
      filled = 0
      hashes.push((high >>> 0) * 2_097_152 + ((low >>> 0) & 0x1fffff))
    },
  }
}

export interface PrefixCache {
  /** Tokens of a prompt that are there; never all of them, since the last token is always computed. */
  cachedTokens(blocks: readonly number[], promptTokens: number): number
  insert(blocks: readonly number[]): void
  clear(): void
}

/** Forgets the blocks that were used longest ago once it holds more than `capacityTokens`. */
export function createPrefixCache(capacityTokens: number): PrefixCache {
  const capacity = Math.max(1, Math.floor(capacityTokens / BLOCK_TOKENS))
  const known = new Map<number, true>()
  return {
    cachedTokens(blocks, promptTokens) {
      const usable = Math.floor(Math.max(0, promptTokens - 1) / BLOCK_TOKENS)
      let hits = 0
      while (hits < usable && hits < blocks.length && known.has(blocks[hits] ?? -1)) hits += 1
      return hits * BLOCK_TOKENS
    },
    insert(blocks) {
      for (const block of blocks) {
        known.delete(block)
        known.set(block, true)
      }
      for (const oldest of known.keys()) {
        if (known.size <= capacity) break
        known.delete(oldest)
      }
    },
    clear: () => known.clear(),
  }
}
