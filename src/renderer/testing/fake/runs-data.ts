import type { RunRow } from '../../../shared/contract/runs.ts'
import { planSchema } from '../../../shared/model/plan.ts'
import type { RunDocument } from '../../../shared/model/run.ts'
import type { RunState } from '../../../shared/model/states.ts'
import { CONCURRENCY, CONTEXTS, KV_TOKENS, cellRow, noise, prefillRow } from './cells-data.ts'
import { inventory } from './hosts-data.ts'

const MODELS = [
  'Qwen/Qwen3.5-27B-FP8',
  'deepseek-ai/DeepSeek-V4-Flash',
  'meta-llama/Llama-4-Scout-17B-16E',
  'openai/gpt-oss-120b',
  'mistralai/Magistral-Small-2509',
] as const
const HOSTS = ['gpu-lab-1', 'quad-6000', 'spark', 'attic'] as const
const TAGS = ['baseline', 'nightly', 'mtp', 'fp8', 'driver-580', 'regression']
const STATES: [RunState, ...RunState[]] = ['finished', 'finished', 'finished', 'finished', 'stopped', 'failed', 'interrupted']

export const RUNNING_ID = 'run-live'

/** Newest first, as the engine lists them. */
export function runRows(count: number): RunRow[] {
  return Array.from({ length: count }, (_, index) => runRow(index, count))
}

function runRow(index: number, count: number): RunRow {
  const pick = <Item>(list: readonly [Item, ...Item[]], salt: number) =>
    list[Math.floor((noise(index, salt) + 0.5) * list.length)] ?? list[0]
  const model = pick(MODELS, 1)
  const createdAt = new Date(Date.now() - (index + 1) * 5.3 * 3_600_000).toISOString()
  const state = pick(STATES, 3)
  const cellsTotal = [12, 48, 60, 192][index % 4] ?? 12
  return {
    id: `run-${String(count - index).padStart(5, '0')}`,
    name: `${model.split('/')[1] ?? model} on ${pick(HOSTS, 2)}`,
    state,
    demo: index % 11 === 0,
    createdAt,
    startedAt: createdAt,
    ...(state === 'interrupted'
      ? {}
      : { finishedAt: new Date(new Date(createdAt).getTime() + (12 + (index % 50)) * 60_000).toISOString() }),
    host: pick(HOSTS, 2),
    model,
    tags: TAGS.filter((_, tag) => noise(index, tag, 7) > 0.3),
    ...(index % 5 === 0 ? { note: 'After the driver update; power limit back at 600 W.' } : {}),
    cellsDone: state === 'finished' ? cellsTotal : Math.floor(cellsTotal * 0.6),
    cellsTotal,
    trashed: index % 17 === 16,
  }
}

export function liveRow(doneCells: number): RunRow {
  return {
    id: RUNNING_ID,
    name: 'Qwen3.5-27B-FP8 night sweep',
    state: 'running',
    demo: false,
    createdAt: new Date(Date.now() - 95 * 60_000).toISOString(),
    startedAt: new Date(Date.now() - 94 * 60_000).toISOString(),
    host: 'gpu-lab-1',
    model: MODELS[0],
    tags: ['nightly'],
    cellsDone: doneCells,
    cellsTotal: CONTEXTS.length * CONCURRENCY.length,
    trashed: false,
  }
}

export function runDocument(row: RunRow): RunDocument {
  const index = Number(/\d+$/.exec(row.id)?.[0] ?? 0)
  const scale = 1 + noise(index, 11) * 0.2
  const contexts = row.cellsTotal === 192 ? CONTEXTS : [0, 8192, 32_768, 131_072].slice(0, row.cellsTotal === 12 ? 3 : 4)
  const concurrency =
    row.cellsTotal === 192
      ? CONCURRENCY
      : CONCURRENCY.filter((_, at) => at % 2 === 0).slice(0, Math.max(4, Math.floor(row.cellsTotal / contexts.length)))
  const cells = contexts.flatMap((context) => concurrency.map((level) => ({ context, level })))
  const isOver = row.state !== 'interrupted'
  return {
    schema: 'speedgrid.run/1',
    id: row.id,
    name: row.name,
    tags: row.tags,
    ...(row.note === undefined ? {} : { note: row.note }),
    ...(row.startedAt === undefined ? {} : { startedAt: row.startedAt }),
    ...(row.finishedAt === undefined ? {} : { finishedAt: row.finishedAt }),
    state: row.state,
    demo: row.demo,
    host: { name: row.host ?? 'gpu-lab-1', address: '10.20.0.11' },
    hardware: inventory(row.host ?? 'gpu-lab-1'),
    engine: {
      name: 'vllm',
      version: '0.24.1',
      servedModel: 'qwen',
      model: row.model ?? 'Qwen/Qwen3.5-27B-FP8',
      maxModelLen: 262_144,
      kvTokens: KV_TOKENS,
      kvTokensSource: 'kv_cache_size_tokens',
      maxNumSeqs: 256,
      maxNumSeqsSource: 'default',
      quantization: 'fp8',
      backend: 'FLASHINFER',
      speculative: true,
      capabilities: { metrics: true, tokenize: true, continuousUsage: true, cachedTokens: true },
    },
    launchCommand: `vllm serve ${row.model ?? 'qwen'} --served-model-name qwen --max-model-len 262144 --speculative-config '{"method":"mtp","num_speculative_tokens":3}'`,
    plan: planSchema.parse({ contexts, concurrency, prefillContexts: contexts.filter((context) => context > 0) }),
    path: { driver: 'host', roundTripMs: 0.2, jitterMs: 0.05, nodeVersion: 'v24.22.3' },
    prompts: contexts.map((contextTokens) => ({
      contextTokens,
      countedTokens: contextTokens,
      method: 'tokenize',
      sha256: 'ab'.repeat(32),
    })),
    prefill: contexts.filter((context) => context > 0).map((context) => prefillRow(context, true, scale)),
    cells: cells.map(({ context, level }, at) => cellRow(context, level, isOver || at < row.cellsDone, scale)),
    events: [
      { at: row.createdAt, level: 'info', text: 'The server was found: vLLM 0.24.1, 1,250,000 KV tokens.' },
      { at: row.createdAt, level: 'warn', text: 'GPU 0 was held back by its power limit.' },
    ],
    timing: { wallSeconds: 1861, windowSeconds: 1440, prefillSeconds: 102 },
    tool: { name: 'speedgrid', version: '0.1.0' },
  }
}
