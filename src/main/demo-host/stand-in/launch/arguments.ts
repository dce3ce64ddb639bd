import { FLAGS, SHORT_FLAGS } from './flags.ts'
import type { FlagKind } from './flags.ts'

/** A mistake as argparse reports it; the process ends with status 2. */
export class UsageError extends Error {}

export interface ServeArguments {
  model: string
  host: string | undefined
  port: number
  servedNames: string[]
  /** In argv they are visible to everyone; VLLM_API_KEY is the way. */
  apiKeys: string[]
  /** undefined: the model's own; `auto`: what fits. */
  maxModelLen: number | 'auto' | undefined
  maxNumSeqs: number
  gpuMemoryUtilization: number
  kvCacheMemoryBytes: number | undefined
  tensorParallel: number
  speculation: { method: string; draftTokens: number } | undefined
  reasoning: boolean
  promptTokensDetails: boolean
  prefixCaching: boolean
  disableLogStats: boolean
  loadFormat: string
  /** As vLLM echoes them, keys masked. */
  nonDefault: string
}

const DEFAULT_MODEL = 'Qwen/Qwen3-0.6B'
const DEFAULT_MAX_NUM_SEQS = 1024 // a GPU of 70 GiB or more

type Values = Map<string, string | boolean | string[]>

/** The words after `vllm serve`, by argparse's rules: `--a=b`, unique prefixes, `_` for `-`, dotted JSON keys, lists. */
export function parseServeArguments(words: readonly string[]): ServeArguments {
  const { values, positionals, unknown } = collect(words)
  const [model = text(values, 'model') ?? DEFAULT_MODEL, ...surplus] = positionals
  const unrecognized = [...unknown, ...surplus]
  if (unrecognized.length > 0) throw new UsageError(`unrecognized arguments: ${unrecognized.join(' ')}`)
  const toolChoice = values.get('enable-auto-tool-choice') === true
  if (toolChoice && !values.has('tool-call-parser')) throw new UsageError('--enable-auto-tool-choice requires --tool-call-parser')
  const maxModelLen = text(values, 'max-model-len')
  const utilization = numeric(values, 'gpu-memory-utilization') ?? 0.92
  if (utilization <= 0 || utilization > 1) throw new UsageError(`GPU memory utilization must be in (0, 1], got ${utilization}.`)
  const kvBytes = text(values, 'kv-cache-memory-bytes')
  return {
    model,
    host: text(values, 'host'),
    port: numeric(values, 'port') ?? 8000,
    servedNames: list(values, 'served-model-name') ?? [model],
    apiKeys: list(values, 'api-key') ?? [],
    maxModelLen: maxModelLen === undefined ? undefined : parseMaxModelLen(maxModelLen),
    maxNumSeqs: numeric(values, 'max-num-seqs') ?? DEFAULT_MAX_NUM_SEQS,
    gpuMemoryUtilization: utilization,
    kvCacheMemoryBytes: kvBytes === undefined ? undefined : parseHuman(kvBytes, 'kv-cache-memory-bytes'),
    tensorParallel: numeric(values, 'tensor-parallel-size') ?? 1,
    speculation: readSpeculation(values),
    reasoning: values.has('reasoning-parser'),
    promptTokensDetails: values.get('enable-prompt-tokens-details') === true,
    prefixCaching: values.get('enable-prefix-caching') !== false,
    disableLogStats: values.get('disable-log-stats') === true,
    loadFormat: text(values, 'load-format') ?? 'auto',
    nonDefault: describe(model, values),
  }
}

function collect(words: readonly string[]) {
  const values: Values = new Map()
  const positionals: string[] = []
  const unknown: string[] = []
  const isFlag = (word: string) => /^-[A-Za-z-]/.test(word)
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!isFlag(word)) {
      positionals.push(word)
      continue
    }
    const [spelled, inline] = splitOnce(word, '=')
    if (/^-O[0-3]$/.test(spelled)) {
      values.set('optimization-level', spelled.slice(2))
      continue
    }
    const found = resolve(spelled)
    if (!found) {
      unknown.push(word)
      continue
    }
    const taken: string[] = inline === undefined ? [] : [inline]
    const mayTake = found.kind === 'store_true' || found.kind === 'switch' ? 0 : found.kind === 'list' ? Infinity : 1
    while (taken.length < mayTake && at + 1 < words.length && !isFlag(words[at + 1] ?? '')) {
      at += 1
      taken.push(words[at] ?? '')
    }
    store(values, found, taken)
  }
  return { values, positionals, unknown }
}

interface Resolved {
  name: string
  kind: FlagKind
  negated: boolean
  /** `speculative-config.method` → ['method']. */
  path: string[]
}

function resolve(spelled: string): Resolved | undefined {
  const short = SHORT_FLAGS[spelled]
  const [typed = '', ...path] = (short ?? spelled.replace(/^--?/, '')).split('.')
  const name = typed.replaceAll('_', '-')
  const exact = (candidate: string) => {
    const kind = FLAGS.get(candidate)
    return kind && { name: candidate, kind, negated: false, path }
  }
  const direct = exact(name)
  if (direct) return direct
  const positive = name.startsWith('no-') ? exact(name.slice(3)) : undefined
  if (positive?.kind === 'switch') return { ...positive, negated: true }
  const candidates = [...FLAGS.keys()].filter((flag) => name.length > 0 && flag.startsWith(name))
  if (candidates.length > 1) {
    throw new UsageError(`ambiguous option: --${name} could match ${candidates.map((flag) => `--${flag}`).join(', ')}`)
  }
  return candidates[0] === undefined ? undefined : exact(candidates[0])
}

function store(values: Values, found: Resolved, taken: string[]): void {
  const { name, kind, negated, path } = found
  const [first] = taken
  if (kind === 'store_true' || kind === 'switch') {
    if (first !== undefined) throw new UsageError(`argument --${name}: ignored explicit argument '${first}'`)
    values.set(name, !negated)
    return
  }
  if (kind === 'optional') {
    values.set(name, first ?? true)
    return
  }
  if (first === undefined)
    throw new UsageError(`argument --${name}: expected ${kind === 'list' ? 'at least one argument' : 'one argument'}`)
  if (kind === 'list') values.set(name, taken)
  else if (kind === 'json' && path.length > 0) {
    const before = values.get(name)
    const object = typeof before === 'string' ? (JSON.parse(before) as Record<string, unknown>) : {}
    object[path.join('.')] = dottedValue(first)
    values.set(name, JSON.stringify(object))
  } else values.set(name, checkValue(name, kind, first))
}

function dottedValue(value: string): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

function checkValue(name: string, kind: FlagKind, value: string): string {
  if (kind === 'integer' && !/^-?\d+$/.test(value)) throw new UsageError(`argument --${name}: invalid int value: '${value}'`)
  if (kind === 'number' && !Number.isFinite(Number(value)))
    throw new UsageError(`argument --${name}: invalid float value: '${value}'`)
  if (kind === 'human' && name !== 'max-model-len') parseHuman(value, name)
  if (kind === 'json') {
    try {
      JSON.parse(value)
    } catch {
      throw new UsageError(`argument --${name}: Value ${value} cannot be converted to <function loads at 0x7f>.`)
    }
  }
  return value
}

/** `256k` = 256 000, `256K` = 262 144. */
function parseHuman(value: string, name: string): number {
  const match = /^(\d+(?:\.\d+)?)([kmgtKMGT]?)$/.exec(value)
  const [, digits = '', unit = ''] = match ?? []
  const power = 'kmgt'.indexOf(unit.toLowerCase()) + 1
  const binary = unit !== '' && unit === unit.toUpperCase()
  if (!match || (binary && digits.includes('.')))
    throw new UsageError(`argument --${name}: invalid human_readable_int value: '${value}'`)
  return Math.floor(Number(digits) * (unit === '' ? 1 : (binary ? 1024 : 1000) ** power))
}

const parseMaxModelLen = (value: string) => (value === 'auto' || value === '-1' ? 'auto' : parseHuman(value, 'max-model-len'))

function readSpeculation(values: Values): ServeArguments['speculation'] {
  const json = text(values, 'speculative-config')
  const config = json === undefined ? {} : (JSON.parse(json) as Record<string, unknown>)
  const method = text(values, 'spec-method') ?? config['method']
  if (method === undefined) return undefined
  const draftTokens = numeric(values, 'spec-tokens') ?? Number(config['num_speculative_tokens'] ?? 1)
  if (!Number.isInteger(draftTokens) || draftTokens < 1) {
    throw new UsageError(`num_speculative_tokens must be a positive integer, got ${String(draftTokens)}`)
  }
  return { method: typeof method === 'string' ? method : 'unknown', draftTokens }
}

function describe(model: string, values: Values): string {
  const shown = [...values].map(([name, value]) => {
    const key = name.replaceAll('-', '_')
    return `'${key}': ${name === 'api-key' ? "['***']" : python(value)}`
  })
  return `{'model_tag': '${model}'${shown.map((entry) => `, ${entry}`).join('')}}`
}

function python(value: string | boolean | string[]): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map((entry) => `'${entry}'`).join(', ')}]`
  return /^-?\d+(\.\d+)?$/.test(value) ? value : `'${value}'`
}

function text(values: Values, name: string): string | undefined {
  const value = values.get(name)
  return typeof value === 'string' ? value : undefined
}

function numeric(values: Values, name: string): number | undefined {
  const value = text(values, name)
  return value === undefined ? undefined : Number(value)
}

function list(values: Values, name: string): string[] | undefined {
  const value = values.get(name)
  return Array.isArray(value) ? value : undefined
}

function splitOnce(word: string, separator: string): [string, string | undefined] {
  const at = word.indexOf(separator)
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}
