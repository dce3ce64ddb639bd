import type { RunDocument } from '../model/run.ts'
import {
  absoluteTime,
  contextLabel,
  countText,
  decimalText,
  durationText,
  shortSecondsText,
  unwatchedText,
} from '../format/index.ts'
import { redactText } from '../secrets/index.ts'
import type { Pair } from './types.ts'

const PLACES = {
  host: 'by a program on the host itself, straight to the server: no network in the figures',
  tunnel: 'by a program beside the app, through an SSH tunnel to the server',
  local: 'by a program that reached the server by its URL',
} as const

const MODES = {
  shared: 'shared: all requests of a cell are the same text, put into the cache beforehand',
  'shared-prefix': 'shared prefix: one document for all, a task of its own for every stream',
  distinct: 'distinct: a text of its own for every stream, put into the cache beforehand',
  cold: 'cold: every request has a text never seen before',
} as const

const CAPACITY = {
  published: 'requests × (context + max output) must fit into the KV cache',
  shared: 'context + requests × max output must fit into the KV cache',
  none: 'every cell is tried',
} as const

const KV_SOURCES = {
  plan: 'given in the plan',
  kv_cache_size_tokens: 'as the server says',
  startup_log: 'from its start-up log',
  'num_gpu_blocks*block_size': 'blocks × block size',
} as const

const SOURCES: Record<NonNullable<RunDocument['cells'][number]['tokenSource']>, string> = {
  usage: 'as the server counts them, with every event of its stream',
  final_usage: 'events of the stream, by the count that finished requests told at their end',
  server_counter: 'events of the stream × the growth of the server’s counter of generated tokens',
  events: 'events of the stream; how many tokens each holds is not known',
}

/** How the run was measured: everything a reader needs to judge or repeat it. */
export function conductRows(run: RunDocument): Pair[] {
  const { plan, path, engine, timing } = run
  const rows: [string, string | undefined][] = [
    ['Run', `${run.name} (${run.id})`],
    ['Measured', `${absoluteTime(run.startedAt)} to ${absoluteTime(run.finishedAt)}`],
    ['State', stateText(run)],
    ['Tags', run.tags.length === 0 ? undefined : run.tags.join(', ')],
    ['Requests were sent', PLACES[path.driver]],
    ['Way to the server', wayText(run)],
    [
      'Program',
      [
        run.tool === undefined ? undefined : `${run.tool.name} ${run.tool.version}`,
        path.nodeVersion && `Node ${path.nodeVersion}`,
      ]
        .filter(Boolean)
        .join(', '),
    ],
    ['Prompts', MODES[plan.promptMode]],
    [
      'Prompt text',
      plan.prompts === undefined
        ? `generated, seed ${String(plan.seed)}`
        : `${plan.prompts.name}, ${countText(plan.prompts.texts.length)} texts${run.promptText === undefined ? '' : `, SHA-256 ${run.promptText.sha256}`}`,
    ],
    ['Endpoint', plan.endpoint === 'chat' ? '/v1/chat/completions' : '/v1/completions, token ids'],
    ['Sampling', plan.temperature === undefined ? 'left to the server' : `temperature ${String(plan.temperature)}`],
    ['Capacity rule', `${plan.capacity}: ${CAPACITY[plan.capacity]}`],
    [
      'KV cache',
      engine?.kvTokens === undefined
        ? undefined
        : `${countText(engine.kvTokens)} tokens${engine.kvTokensSource === undefined ? '' : ` (${KV_SOURCES[engine.kvTokensSource]})`}`,
    ],
    [
      'Longest request',
      engine?.maxModelLen === undefined
        ? undefined
        : `${contextLabel(engine.maxModelLen)} (${countText(engine.maxModelLen)} tokens)`,
    ],
    [
      'Requests at once, at most',
      engine?.maxNumSeqs === undefined
        ? undefined
        : `${countText(engine.maxNumSeqs)}${engine.maxNumSeqsSource === undefined ? '' : ` (${engine.maxNumSeqsSource.replace('_', ' ')})`}`,
    ],
    ['Order of cells', plan.order],
    [
      'Before each window',
      `all requests under way for ${shortSecondsText(plan.settleSeconds)}${plan.stagger ? ', ends spread' : ''}`,
    ],
    ['Repeats', plan.repeats > 1 ? countText(plan.repeats) : undefined],
    ['Prefill samples', plan.prefillSamples > 1 ? countText(plan.prefillSamples) : undefined],
    ['Repeating answers', plan.onLoop === 'discard' ? 'the whole cell is thrown away' : 'the request is replaced'],
    [
      'Work of others on the server',
      { wait: 'waited for', error: 'makes the cell an error', measure: 'measured, with a flag' }[plan.foreignLoad],
    ],
    ['Token counts', tokenSource(run)],
    [
      'Time',
      `${durationText(timing.wallSeconds)} in all: ${durationText(timing.windowSeconds)} of windows, ${durationText(timing.prefillSeconds)} of prefill`,
    ],
  ]
  return rows.flatMap(([label, text]) => (text === undefined || text === '' ? [] : [{ label, text }]))
}

function wayText({ path }: RunDocument): string | undefined {
  if (path.roundTripMs === undefined) return undefined
  const jitter = path.jitterMs === undefined ? '' : `, varying by ${decimalText(path.jitterMs, 2)} ms`
  return `round trip ${decimalText(path.roundTripMs, 2)} ms${jitter}`
}

function tokenSource(run: RunDocument): string | undefined {
  const sources = new Set(run.cells.map((cell) => cell.tokenSource).filter((source) => source !== undefined))
  if (sources.size === 0) return undefined
  return [...sources].map((source) => SOURCES[source]).join('; ')
}

function stateText(run: RunDocument): string {
  const { state, unwatched, path, host, reason } = run
  const known = unwatchedText({ state, unwatched, place: path.driver, host: host?.name }) ?? state
  return reason === undefined ? known : `${known}: ${redactText(reason)}`
}
