import { readJson } from '../../../shared/bytes/index.ts'
import type { EngineFacts } from '../../../shared/model/engine-facts.ts'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { type CacheConfig, parseCacheConfig } from '../sample/cache-config.ts'
import { parseMetrics } from '../sample/prometheus.ts'
import type { DriverClient, HttpAnswer, TokenCounter } from '../stream/types.ts'

interface Detection {
  facts: EngineFacts
  counter: TokenCounter
}

interface DetectOptions {
  client: DriverClient
  wantedModel: string | undefined
  /** plan.kvTokens */
  planKvTokens: number | undefined
  known: Partial<EngineFacts>
  endpoint: 'chat' | 'completions'
  detectCounter: (client: DriverClient, model: string, endpoint: 'chat' | 'completions') => Promise<TokenCounter>
}

const TIMEOUT_MS = 10_000
const MAX_NAME_CHARS = 1000
const MAX_SHOWN_MODELS = 20

interface ModelCard {
  id: string
  root?: string
  maxModelLen?: number
}

const excerpt = (text: string) => text.slice(0, 1000).replace(/\s+/g, ' ').trim().slice(0, 200)

function parseJson(answer: HttpAnswer): unknown {
  try {
    return readJson(answer.text)
  } catch {
    return undefined
  }
}

function refused(answer: HttpAnswer): SpeedgridError {
  const evidence = [`GET /v1/models: HTTP ${answer.status}`, excerpt(answer.text)].filter((line) => line !== '')
  if (answer.status === 401 || answer.status === 403) {
    return new SpeedgridError('unauthorized', `The server refused the API key (HTTP ${answer.status}).`, {
      evidence,
      nextStep: 'Give the key by --api-key-env VAR.',
    })
  }
  return new SpeedgridError('http', `The server answered GET /v1/models with HTTP ${answer.status}.`, {
    evidence,
    nextStep: answer.status === 404 ? 'Check the address: it must be an OpenAI-compatible server.' : "Look at the server's log.",
  })
}

function modelCards(answer: HttpAnswer): ModelCard[] {
  const body = parseJson(answer)
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  const cards = Array.isArray(data)
    ? data.filter((card: unknown): card is Record<string, unknown> => typeof card === 'object' && card !== null)
    : []
  const models = cards.flatMap((card) => {
    // Nothing has such a name; it would go into every request and record.
    if (typeof card.id !== 'string' || card.id.length > MAX_NAME_CHARS) return []
    const length = card.max_model_len
    return [
      {
        id: card.id,
        ...(typeof card.root === 'string' && card.root.length <= MAX_NAME_CHARS ? { root: card.root } : {}),
        ...(typeof length === 'number' && Number.isInteger(length) ? { maxModelLen: length } : {}),
      },
    ]
  })
  if (models.length > 0) return models
  const kind = /^\s*</.test(answer.text)
    ? 'a web page (HTML)'
    : body === undefined
      ? 'something that is no JSON'
      : 'no list of models'
  throw new SpeedgridError('http', `The server answered GET /v1/models with ${kind}.`, {
    evidence: [`content-type: ${String(answer.headers['content-type'] ?? 'none')}`, excerpt(answer.text)],
    nextStep: 'Check the address and port: it must be an OpenAI-compatible server.',
  })
}

function chooseModel(models: ModelCard[], wanted: string | undefined): ModelCard {
  const chosen = wanted === undefined ? models[0] : models.find((model) => model.id === wanted)
  if (chosen) return chosen
  throw new SpeedgridError('plan', `The server doesn't serve a model named "${wanted ?? ''}".`, {
    evidence: [
      `it serves: ${models
        .slice(0, MAX_SHOWN_MODELS)
        .map((model) => model.id)
        .join(', ')}`,
    ],
    nextStep: 'Use one of these names, or leave --model out.',
  })
}

async function optional(client: DriverClient, path: string): Promise<HttpAnswer | undefined> {
  try {
    const answer = await client.request('GET', path, { timeoutMs: TIMEOUT_MS })
    return answer.status === 200 ? answer : undefined
  } catch {
    return undefined
  }
}

function versionOf(answer: HttpAnswer | undefined): string | undefined {
  const body = answer && parseJson(answer)
  return typeof body === 'object' &&
    body !== null &&
    'version' in body &&
    typeof body.version === 'string' &&
    body.version.length <= MAX_NAME_CHARS
    ? body.version
    : undefined
}

/** KV capacity in the order of docs/measurement.md 2: plan, label, start-up log, blocks × size for plain attention. */
function kvCapacity(
  options: Pick<DetectOptions, 'planKvTokens' | 'known'>,
  cache: CacheConfig | undefined,
): Pick<EngineFacts, 'kvTokens' | 'kvTokensSource'> {
  const { planKvTokens, known } = options
  if (planKvTokens !== undefined) return { kvTokens: planKvTokens, kvTokensSource: 'plan' }
  const labelled = cache?.kvTokens === undefined ? {} : { kvTokens: cache.kvTokens, kvTokensSource: cache.kvTokensSource }
  if (cache?.kvTokensSource === 'kv_cache_size_tokens') return labelled
  if (known.kvTokens !== undefined) return { kvTokens: known.kvTokens, kvTokensSource: known.kvTokensSource ?? 'startup_log' }
  return labelled
}

function engineName(metrics: string | undefined, version: string | undefined, known: Partial<EngineFacts>): EngineFacts['name'] {
  if (metrics?.includes('vllm:')) return 'vllm'
  if (metrics?.includes('sglang:')) return 'sglang'
  return known.name ?? (version === undefined ? 'openai' : 'vllm')
}

/** Finds out what can be found out (docs/measurement.md 2). Throws where there is no OpenAI-compatible server that lets us in. */
export async function detect(options: DetectOptions): Promise<Detection> {
  const { client, known } = options
  const answer = await client.request('GET', '/v1/models', { timeoutMs: TIMEOUT_MS })
  if (answer.status !== 200) throw refused(answer)
  const card = chooseModel(modelCards(answer), options.wantedModel)
  const version = versionOf(await optional(client, '/version'))
  const metrics = (await optional(client, '/metrics'))?.text
  const sample = metrics === undefined ? undefined : parseMetrics(metrics)
  const cache = metrics === undefined ? undefined : parseCacheConfig(metrics)
  const counter = await options.detectCounter(client, card.id, options.endpoint)
  const engines = cache?.engines ?? known.engines
  const facts: EngineFacts = {
    ...known,
    name: engineName(metrics, version, known),
    ...(version === undefined ? {} : { version: known.version ?? version }),
    servedModel: card.id,
    model: known.model ?? card.root ?? card.id,
    ...(card.maxModelLen === undefined ? {} : { maxModelLen: card.maxModelLen }),
    ...kvCapacity(options, cache),
    ...(engines === undefined ? {} : { engines }),
    // The counters are there only where speculation is on.
    ...(known.speculative === undefined && sample ? { speculative: sample.specDrafts !== undefined } : {}),
    ...(answer.headers['x-speedgrid-demo'] === undefined ? {} : { demo: true }),
    capabilities: { ...known.capabilities, metrics: sample !== undefined, tokenize: counter.method === 'tokenize' },
  }
  return { facts, counter }
}
