import { countPrompt } from './prompt.ts'
import type { CountedPrompt, PromptInput } from './prompt.ts'
import { RequestError } from './request-error.ts'

export interface CompletionRequest {
  chat: boolean
  model: string | undefined
  prompt: CountedPrompt
  maxTokens: number
  ignoreEos: boolean
  stream: boolean
  includeUsage: boolean
  continuousUsage: boolean
}

interface ModelLimits {
  servedNames: readonly string[]
  maxModelLen: number
}

const DEFAULT_COMPLETION_TOKENS = 16

/** Reads and checks a body as vLLM does; throws RequestError. */
export function parseCompletion(body: Buffer, chat: boolean, limits: ModelLimits): CompletionRequest {
  const fields = parseObject(body)
  const model = fields['model']
  if (typeof model === 'string' && !limits.servedNames.includes(model)) {
    throw new RequestError(404, `The model \`${model}\` does not exist.`)
  }
  if (fields['n'] !== undefined && fields['n'] !== null && fields['n'] !== 1) {
    throw new RequestError(400, 'This demo server answers one choice a request (n = 1).')
  }
  const stream = fields['stream'] === true
  const streamOptions = asObject(fields['stream_options'])
  if (streamOptions && !stream) throw new RequestError(400, 'Stream options can only be defined when `stream=True`.')
  const salt = typeof fields['cache_salt'] === 'string' ? fields['cache_salt'] : undefined
  const prompt = countPrompt(readPrompt(fields, chat), salt)
  const includeUsage = streamOptions?.['include_usage'] === true
  return {
    chat,
    model: typeof model === 'string' ? model : undefined,
    prompt,
    maxTokens: readMaxTokens(fields, chat, prompt.tokens, limits.maxModelLen),
    ignoreEos: fields['ignore_eos'] === true,
    stream,
    includeUsage,
    continuousUsage: includeUsage && streamOptions?.['continuous_usage_stats'] === true,
  }
}

export function parseObject(body: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new RequestError(400, `Invalid JSON: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
  const fields = asObject(value)
  if (!fields) throw new RequestError(400, 'The body must be a JSON object.')
  return fields
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}

export function readPrompt(fields: Record<string, unknown>, chat: boolean): PromptInput {
  if (chat) {
    const messages = fields['messages']
    if (!Array.isArray(messages) || messages.length === 0)
      throw new RequestError(400, 'messages: a list with at least one message is needed.')
    return { messages, addGenerationPrompt: fields['add_generation_prompt'] !== false }
  }
  let prompt = fields['prompt']
  if (Array.isArray(prompt) && prompt.length === 1 && (typeof prompt[0] === 'string' || Array.isArray(prompt[0])))
    prompt = prompt[0]
  if (typeof prompt === 'string' && prompt.length > 0) return { prompt }
  if (Array.isArray(prompt) && prompt.length > 0 && prompt.every((id) => Number.isInteger(id) && id >= 0))
    return { prompt: prompt as number[] }
  throw new RequestError(400, 'prompt: one text or one list of token ids is needed.')
}

function readMaxTokens(fields: Record<string, unknown>, chat: boolean, promptTokens: number, maxModelLen: number): number {
  const asked = fields['max_completion_tokens'] ?? fields['max_tokens'] ?? undefined
  const room = maxModelLen - promptTokens
  const wanted = asked === undefined ? (chat ? Math.max(1, room) : DEFAULT_COMPLETION_TOKENS) : asked
  if (typeof wanted !== 'number' || !Number.isInteger(wanted) || wanted < 1) {
    throw new RequestError(400, `max_tokens must be at least 1, got ${JSON.stringify(wanted)}.`)
  }
  if (room < wanted) {
    throw new RequestError(
      400,
      `This model's maximum context length is ${maxModelLen} tokens. However, you requested ${wanted} output tokens and your prompt ` +
        `contains ${promptTokens} input tokens, for a total of ${promptTokens + wanted} tokens. Please reduce the length of the input ` +
        'prompt or the number of requested output tokens.',
    )
  }
  return wanted
}
