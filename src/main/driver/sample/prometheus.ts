import type { MetricsSample } from '../../../shared/model/telemetry.ts'
import { metricLines } from './prometheus-text.ts'

type Field = keyof MetricsSample

/** docs/vllm.md 3; several names of one field are alternatives of different servers. */
const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['vllm:num_requests_running', 'running'],
  ['vllm:num_requests_waiting', 'waiting'],
  ['vllm:kv_cache_usage_perc', 'kvUsage'],
  ['vllm:gpu_cache_usage_perc', 'kvUsage'],
  ['vllm:generation_tokens_total', 'generationTokens'],
  ['vllm:prompt_tokens_total', 'promptTokens'],
  ['vllm:prompt_tokens_cached_total', 'cachedPromptTokens'],
  ['vllm:prefix_cache_queries_total', 'prefixCacheQueries'],
  ['vllm:prefix_cache_hits_total', 'prefixCacheHits'],
  ['vllm:num_preemptions_total', 'preemptions'],
  ['vllm:spec_decode_num_drafts_total', 'specDrafts'],
  ['vllm:spec_decode_num_draft_tokens_total', 'specDraftTokens'],
  ['vllm:spec_decode_num_accepted_tokens_total', 'specAcceptedTokens'],
  ['sglang:num_running_reqs', 'running'],
  ['sglang:num_queue_reqs', 'waiting'],
  ['sglang:token_usage', 'kvUsage'],
  ['sglang:generation_tokens_total', 'generationTokens'],
  ['sglang:prompt_tokens_total', 'promptTokens'],
  ['sglang:cached_tokens_total', 'cachedPromptTokens'],
])

/**
 * Gauges and counters of one scrape, summed over `engine` labels (data parallel); kvUsage is a share, so its mean. undefined where the
 * text holds none of them.
 */
export function parseMetrics(text: string): MetricsSample | undefined {
  const sums = new Map<Field, { sum: number; lines: number }>()
  for (const { name, value } of metricLines(text, (wanted) => FIELDS.has(wanted))) {
    const field = FIELDS.get(name) as Field
    const before = sums.get(field) ?? { sum: 0, lines: 0 }
    sums.set(field, { sum: before.sum + value, lines: before.lines + 1 })
  }
  if (sums.size === 0) return undefined
  const sample: MetricsSample = {}
  for (const [field, { sum, lines }] of sums) sample[field] = field === 'kvUsage' ? sum / lines : sum
  return sample
}
