import { contextLabel, countText } from '../../../../shared/format/index.ts'

interface TokenCount {
  /** Undefined for `auto`: known when the server runs. */
  tokens?: number
  /** How it reads: "262,144 tokens (256K)". */
  text?: string
  problem?: string
}

const DECIMAL: Record<string, number> = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 }
const BINARY: Record<string, number> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 }
const MOST = 100_000_000

/** vLLM's human numbers (docs/vllm.md 1.1): lower case counts in thousands and may have decimals, upper case in 1,024s and may not. */
export function tokenCount(written: string): TokenCount {
  if (written === 'auto' || written === '-1') return { text: 'the longest that fits in memory' }
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([kmgtKMGT]?)$/.exec(written) ?? []
  if (digits === '') return { problem: 'A number of tokens like 262144, 256K or 25.6k, or auto.' }
  if (digits.includes('.') && DECIMAL[unit] === undefined) {
    return { problem: `Decimals only with a small k, m or g: ${digits}k.` }
  }
  const tokens = Math.round(Number(digits) * (DECIMAL[unit] ?? BINARY[unit] ?? 1))
  if (tokens < 1 || tokens > MOST) return { problem: 'From 1 to 100,000,000 tokens.' }
  return { tokens, text: `${countText(tokens)} tokens${tokens % 1024 === 0 ? ` (${contextLabel(tokens)})` : ''}` }
}
