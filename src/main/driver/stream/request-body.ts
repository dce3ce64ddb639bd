import { createHash } from 'node:crypto'
import type { BodyOptions, PromptContent } from './types.ts'

function fields({
  model,
  maxTokens,
  temperature,
  ignoreEos = true,
  continuousUsage = true,
}: BodyOptions): Record<string, unknown> {
  return {
    stream: true,
    max_tokens: maxTokens,
    ...(ignoreEos ? { ignore_eos: true } : {}),
    stream_options: { include_usage: true, ...(continuousUsage ? { continuous_usage_stats: true } : {}) },
    ...(temperature === undefined ? {} : { temperature }),
    model,
  }
}

/** The body of a measured request as published (docs/measurement.md 1), once for all requests that send this prompt. */
export function encodeBody(content: PromptContent, options: BodyOptions): Buffer {
  const { model, ...rest } = fields(options)
  return Buffer.from(JSON.stringify({ model, ...content, ...rest }))
}

/** The same without its text, for the record. */
export function requestTemplate(content: PromptContent, options: BodyOptions): Record<string, unknown> {
  const { model, ...rest } = fields(options)
  const prompt =
    'messages' in content
      ? { messages: content.messages.map(({ role }) => ({ role, content: '<prompt>' })) }
      : { prompt: typeof content.prompt === 'string' ? '<prompt>' : '<token ids>' }
  return { model, ...prompt, ...rest }
}

/** Where a content is sent. */
export function endpointPath(content: PromptContent): string {
  return 'messages' in content ? '/v1/chat/completions' : '/v1/completions'
}

/** Identifies a prompt in records: sha256 of the content as JSON, hex. */
export const sha256Of = (content: PromptContent): string => createHash('sha256').update(JSON.stringify(content)).digest('hex')
