import { readJson } from '../../../shared/bytes/index.ts'

/** What one event of an OpenAI-style stream says that a measurement needs. */
export interface EventFacts {
  content: string
  reasoning: string
  /** Content, reasoning, tool text or token ids; the empty role chunk has none. */
  hasOutput: boolean
  /** A step of the model whose text is held back: the event has an empty text, and isn't the one that opens the answer. */
  isEmptyStep: boolean
  completionTokens?: number
  promptTokens?: number
  cachedTokens?: number
  finishReason?: string
  /** Message of a mid-stream error event. */
  error?: string
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
/** No count of tokens is larger; a server that says so is not believed. */
const MAX_COUNT = 1e12
const count = (value: unknown): number | undefined =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT ? (value as number) : undefined

function hasToolText(delta: Json): boolean {
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [{ function: delta.function_call }]
  return calls.some((call: unknown) => {
    const called = isObject(call) ? call.function : undefined
    return isObject(called) && (text(called.name) !== '' || text(called.arguments) !== '')
  })
}

/** `{"error": {"message": …}}`, `{"error": "…"}`, or `{"object": "error", "message": …}`; undefined where the object is no error. */
export function errorMessageOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  const { error } = body
  if (typeof error === 'string' && error !== '') return error
  if (isObject(error)) return text(error.message) || JSON.stringify(error)
  if (body.object === 'error') return text(body.message) || JSON.stringify(body)
  // FastAPI's own refusals
  if (typeof body.detail === 'string' && body.choices === undefined) return body.detail
  return undefined
}

function addChoice(facts: EventFacts, choice: Json): void {
  const delta = isObject(choice.delta) ? choice.delta : {}
  facts.content += text(delta.content) + text(delta.refusal) + text(choice.text)
  // vLLM since January 2026 says `reasoning`; SGLang and older ones `reasoning_content`. A server may send both with the same text.
  facts.reasoning += text(delta.reasoning) || text(delta.reasoning_content)
  const ids = choice.token_ids ?? delta.token_ids
  if (Array.isArray(ids) && ids.length > 0) facts.hasOutput = true
  else if (hasToolText(delta)) facts.hasOutput = true
  if (delta.role === undefined && (delta.content === '' || choice.text === '')) facts.isEmptyStep = true
  if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '')
    facts.finishReason = choice.finish_reason.slice(0, 100)
}

/** Reads one event's data as JSON. Throws SyntaxError where it is none, or nests too deep. */
export function readEventFacts(data: string): EventFacts {
  const body = readJson(data)
  const facts: EventFacts = { content: '', reasoning: '', hasOutput: false, isEmptyStep: false }
  const error = errorMessageOf(body)
  if (error !== undefined) facts.error = error
  if (!isObject(body)) return facts
  if (Array.isArray(body.choices)) for (const choice of body.choices) if (isObject(choice)) addChoice(facts, choice)
  if (facts.content !== '' || facts.reasoning !== '') facts.hasOutput = true
  if (facts.hasOutput) facts.isEmptyStep = false
  if (isObject(body.usage)) {
    const { usage } = body
    facts.completionTokens = count(usage.completion_tokens)
    facts.promptTokens = count(usage.prompt_tokens)
    if (isObject(usage.prompt_tokens_details)) facts.cachedTokens = count(usage.prompt_tokens_details.cached_tokens)
  }
  return facts
}
