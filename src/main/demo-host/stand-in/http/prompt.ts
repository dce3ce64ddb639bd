import { createPromptBlocks } from '../replay/prefix-cache.ts'
import type { TokenSink } from '../replay/tokenizer.ts'
import { tokenize, toTokenId } from '../replay/tokenizer.ts'
import { RequestError } from './request-error.ts'

export type PromptInput = { messages: unknown[]; addGenerationPrompt: boolean } | { prompt: string | number[] }

const textHash = (text: string) => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
/** Around each message: start marker, role, line end, end marker, line end; before the answer: start marker, role, line end. */
const MARK = { start: textHash('<|im_start|>'), end: textHash('<|im_end|>'), newLine: textHash('\n') }

/** Feeds a prompt's tokens (chat template included) to the sinks; returns how many there are. */
function feedPrompt(input: PromptInput, sink: TokenSink): number {
  if ('prompt' in input) {
    if (typeof input.prompt === 'string') return tokenize(input.prompt, sink)
    for (const id of input.prompt) sink.token(id >>> 0)
    return input.prompt.length
  }
  let count = 0
  const mark = (...hashes: number[]) => {
    for (const hash of hashes) sink.token(hash)
    count += hashes.length
  }
  for (const message of input.messages) {
    const { role, text } = readMessage(message)
    mark(MARK.start, textHash(role), MARK.newLine)
    count += tokenize(text, sink)
    mark(MARK.end, MARK.newLine)
  }
  if (input.addGenerationPrompt) mark(MARK.start, textHash('assistant'), MARK.newLine)
  return count
}

function readMessage(message: unknown): { role: string; text: string } {
  if (typeof message !== 'object' || message === null || !('role' in message) || typeof message.role !== 'string') {
    throw new RequestError(400, 'Every message needs a role.')
  }
  const content = 'content' in message ? message.content : ''
  if (typeof content === 'string') return { role: message.role, text: content }
  if (!Array.isArray(content)) throw new RequestError(400, "A message's content must be a string or a list of parts.")
  const texts = content.map((part: unknown) =>
    typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : '',
  )
  return { role: message.role, text: texts.join('\n') }
}

export function tokenIds(input: PromptInput): number[] {
  const ids: number[] = []
  if ('prompt' in input && typeof input.prompt !== 'string') return input.prompt
  feedPrompt(input, { token: (hash) => ids.push(toTokenId(hash)) })
  return ids
}

export interface CountedPrompt {
  tokens: number
  blocks: readonly number[]
}

/** `salt` (cache_salt) keeps a prompt from sharing blocks with the same prompt under another salt. */
export function countPrompt(input: PromptInput, salt?: string): CountedPrompt {
  const blocks = createPromptBlocks(salt === undefined ? 0 : textHash(salt))
  const tokens = feedPrompt(input, blocks)
  return { tokens, blocks: blocks.hashes }
}
