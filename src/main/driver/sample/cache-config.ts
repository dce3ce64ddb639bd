import type { EngineFacts } from '../../../shared/model/engine-facts.ts'
import { metricLines } from './prometheus-text.ts'

export interface CacheConfig {
  /** Data-parallel engines: distinct `engine` labels. */
  engines: number
  kvTokens?: number
  kvTokensSource?: NonNullable<EngineFacts['kvTokensSource']>
  blockSize?: number
  prefixCaching?: boolean
}

const CONFIG = 'vllm:cache_config_info'
const PARALLEL = 'vllm:parallel_config_info'
const WANTED = new Set([CONFIG, PARALLEL, 'vllm:num_requests_running'])

/** Label values are strings and may be "None". */
function count(label: string | undefined): number | undefined {
  if (label === undefined || !/^\d+$/.test(label)) return undefined
  return Number(label) > 0 ? Number(label) : undefined
}

const isSet = (label: string | undefined): boolean => label !== undefined && !['', 'None', 'none', '0', 'False'].includes(label)

/**
 * Blocks × block size is the token capacity of plain full attention only. Hybrid and sliding-window models show themselves by their
 * labels, or by a block size that was enlarged until attention and state pages align (docs/vllm.md 3.1).
 */
function isPlainAttention(labels: Record<string, string>, blockSize: number): boolean {
  if (isSet(labels.sliding_window) || isSet(labels.mamba_block_size) || isSet(labels.mamba_page_size_padded)) return false
  if (labels.is_attention_free === 'True') return false
  return blockSize <= 128
}

/** What `/metrics` tells of the KV cache; undefined where it has no cache_config_info. */
export function parseCacheConfig(text: string): CacheConfig | undefined {
  let labels: Record<string, string> | undefined
  const engineNames = new Set<string>()
  let contextParallel = 1
  for (const line of metricLines(text, (name) => WANTED.has(name))) {
    if (line.name === PARALLEL) {
      const { decode_context_parallel_size: decode, prefill_context_parallel_size: prefill } = line.labels
      contextParallel = (count(decode) ?? 1) * (count(prefill) ?? 1)
      continue
    }
    if (line.labels.engine !== undefined) engineNames.add(line.labels.engine)
    if (line.name === CONFIG) labels ??= line.labels
  }
  if (!labels) return undefined
  const engines = Math.max(1, engineNames.size)
  const blockSize = count(labels.block_size)
  const config: CacheConfig = { engines }
  if (blockSize !== undefined) config.blockSize = blockSize
  if (labels.enable_prefix_caching === 'True') config.prefixCaching = true
  if (labels.enable_prefix_caching === 'False') config.prefixCaching = false
  const perEngine = count(labels.kv_cache_size_tokens)
  const blocks = count(labels.num_gpu_blocks)
  if (perEngine !== undefined) {
    config.kvTokens = perEngine * engines
    config.kvTokensSource = 'kv_cache_size_tokens'
  } else if (blocks !== undefined && blockSize !== undefined && isPlainAttention(labels, blockSize)) {
    // num_gpu_blocks is the sum over the engines already, repeated on each engine's row.
    config.kvTokens = blocks * blockSize * contextParallel
    config.kvTokensSource = 'num_gpu_blocks*block_size'
  }
  return config
}
