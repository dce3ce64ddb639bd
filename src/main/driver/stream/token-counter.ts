import { readJson } from '../../../shared/bytes/index.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { serverMessage } from './http-errors.ts'
import { endpointPath } from './request-body.ts'
import type { DriverClient, HttpAnswer, PromptContent, TokenCounter } from './types.ts'

/** Tokenizing 256K tokens takes part of a second, but several may wait for one another. */
const COUNT_TIMEOUT_MS = 120_000
/** Counting by usage runs a whole prefill. */
const USAGE_TIMEOUT_MS = 30 * 60_000

function parsed(answer: HttpAnswer, what: string): Record<string, unknown> {
  const contentType = String(answer.headers['content-type'] ?? '')
  if (answer.status !== 200) {
    const code = answer.status === 401 || answer.status === 403 ? 'unauthorized' : 'http'
    throw new SpeedgridError(code, `${what} failed: HTTP ${answer.status}`, {
      evidence: [serverMessage(answer.text, contentType)],
    })
  }
  try {
    const body = readJson(answer.text)
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>
  } catch {
    // said below
  }
  throw new SpeedgridError('http', `${what} answered with something that is not JSON`, {
    evidence: [serverMessage(answer.text, contentType)],
  })
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

function missing(what: string, field: string): SpeedgridError {
  return new SpeedgridError('http', `${what} answered without ${field}`)
}

/** Counts through `POST /tokenize`: the server's own tokenizer and chat template. */
export function createTokenizeCounter(client: DriverClient, model: string): TokenCounter {
  const ask = async (json: object): Promise<Record<string, unknown>> =>
    parsed(await client.request('POST', '/tokenize', { json: { model, ...json }, timeoutMs: COUNT_TIMEOUT_MS }), 'POST /tokenize')
  return {
    method: 'tokenize',
    async count(content) {
      if ('prompt' in content && typeof content.prompt !== 'string') return content.prompt.length
      const { count } = await ask(content)
      if (!isCount(count)) throw missing('POST /tokenize', 'a count')
      return count
    },
    async contentIds(content) {
      const { tokens } = await ask(content)
      return Array.isArray(tokens) && tokens.every(isCount) ? tokens : undefined
    },
    async tokenIds(text, addSpecialTokens) {
      const { tokens } = await ask({ prompt: text, add_special_tokens: addSpecialTokens })
      if (!Array.isArray(tokens) || !tokens.every(isCount)) throw missing('POST /tokenize', 'token ids')
      return tokens
    },
  }
}

/** Counts by what a real request of one output token reports: slow, for servers without `/tokenize`. */
export function createUsageTokenCounter(client: DriverClient, model: string): TokenCounter {
  return {
    method: 'usage',
    async count(content: PromptContent) {
      const path = endpointPath(content)
      const json = { model, ...content, max_tokens: 1, stream: false }
      const { usage } = parsed(await client.request('POST', path, { json, timeoutMs: USAGE_TIMEOUT_MS }), `POST ${path}`)
      const count: unknown =
        typeof usage === 'object' && usage !== null && 'prompt_tokens' in usage ? usage.prompt_tokens : undefined
      if (!isCount(count)) throw missing(`POST ${path}`, 'usage.prompt_tokens, so prompt lengths cannot be established')
      return count
    },
  }
}

/** The best counter the server offers: `/tokenize` where it answers a probe, else usage. A refused key throws `unauthorized`. */
export async function detectCounter(
  client: DriverClient,
  model: string,
  endpoint: 'chat' | 'completions',
): Promise<TokenCounter> {
  const counter = createTokenizeCounter(client, model)
  try {
    const text = 'How long is this?'
    await counter.count(endpoint === 'chat' ? { messages: [{ role: 'user', content: text }] } : { prompt: text })
    return counter
  } catch (error) {
    if (error instanceof SpeedgridError && error.code === 'http') return createUsageTokenCounter(client, model)
    throw error
  }
}
