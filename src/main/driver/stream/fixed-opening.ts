import type { PromptContent, TokenCounter } from './types.ts'

/** Beginnings that no tokenizer gives the same first token. */
const BEGINNINGS = ['Amber rivers turn south.', '7 boxes were left behind.'] as const

/**
 * Tokens that stand before the first word of every prompt: the chat template's opening with its default system prompt. They are cached
 * after the first request of a server's life, whatever is sent. Undefined where the server doesn't tell token ids.
 */
export async function countFixedOpening(counter: TokenCounter, endpoint: 'chat' | 'completions'): Promise<number | undefined> {
  const { contentIds } = counter
  if (!contentIds) return undefined
  const contentOf = (text: string): PromptContent =>
    endpoint === 'chat' ? { messages: [{ role: 'user', content: text }] } : { prompt: text }
  const [one, other] = await Promise.all(BEGINNINGS.map((text) => contentIds(contentOf(text))))
  if (!one || !other) return undefined
  const differs = one.findIndex((id, index) => id !== other[index])
  // Equal ids for unequal texts are no ids.
  return differs === -1 || differs >= other.length ? undefined : differs
}
