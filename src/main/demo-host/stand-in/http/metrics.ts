import type { Scheduler } from '../replay/scheduler.ts'

interface MetricsOptions {
  scheduler: Scheduler
  servedName: string
  kvTokens: number
  maxModelLen: number
  gpuMemoryUtilization: number
  speculative: boolean
}

const BLOCK_SIZE = 528 // hybrid models enlarge their blocks

/** Prometheus text with vLLM's names, one engine. */
export function renderMetrics(options: MetricsOptions): string {
  const { scheduler } = options
  const { counters } = scheduler
  const base = `engine="0",model_name="${options.servedName.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  const lines: string[] = []
  const metric = (name: string, kind: string, help: string, rows: [labels: string, value: number][]) => {
    lines.push(`# HELP vllm:${name} ${help}`, `# TYPE vllm:${name} ${kind}`)
    const suffix = kind === 'counter' ? '_total' : ''
    for (const [labels, value] of rows) lines.push(`vllm:${name}${suffix}{${base}${labels}} ${value}`)
  }
  const gauge = (name: string, help: string, value: number) => metric(name, 'gauge', help, [['', value]])
  const counter = (name: string, help: string, value: number) => metric(name, 'counter', help, [['', value]])

  gauge('num_requests_running', 'Number of requests in model execution batches.', scheduler.running)
  gauge('num_requests_waiting', 'Number of requests waiting to be processed.', scheduler.waiting)
  metric('num_requests_waiting_by_reason', 'gauge', 'Number of waiting requests by reason.', [
    [',reason="capacity"', scheduler.waiting],
    [',reason="deferred"', 0],
  ])
  gauge('kv_cache_usage_perc', 'KV-cache usage. 1 means 100 percent usage.', scheduler.kvUsage)
  counter('prompt_tokens', 'Number of prefill tokens processed.', counters.promptTokens)
  metric('prompt_tokens_by_source', 'counter', 'Number of prompt tokens by source.', [
    [',source="local_compute"', Math.max(0, counters.promptTokens - counters.cachedTokens)],
    [',source="local_cache_hit"', counters.cachedTokens],
    [',source="external_kv_transfer"', 0],
  ])
  counter('prompt_tokens_cached', 'Number of cached prompt tokens.', counters.cachedTokens)
  counter('generation_tokens', 'Number of generation tokens processed.', counters.generationTokens)
  counter('prefix_cache_queries', 'Prefix cache queries, in terms of number of queried tokens.', counters.prefixQueries)
  counter('prefix_cache_hits', 'Prefix cache hits, in terms of number of cached tokens.', counters.cachedTokens)
  counter('num_preemptions', 'Cumulative number of preemption from the engine.', 0)
  metric('request_success', 'counter', 'Count of successfully processed requests.', [
    [',finished_reason="stop"', counters.finished.stop],
    [',finished_reason="length"', counters.finished.length],
    [',finished_reason="abort"', counters.finished.abort],
    [',finished_reason="error"', 0],
  ])
  if (options.speculative) {
    counter('spec_decode_num_drafts', 'Number of spec decoding drafts.', counters.drafts)
    counter('spec_decode_num_draft_tokens', 'Number of draft tokens.', counters.draftTokens)
    counter('spec_decode_num_accepted_tokens', 'Number of accepted tokens.', counters.acceptedTokens)
    const perPosition = counters.acceptedAtPosition.map((value, index): [string, number] => [`,position="${index}"`, value])
    metric('spec_decode_num_accepted_tokens_per_pos', 'counter', 'Accepted tokens per draft position.', perPosition)
  }
  metric('cache_config_info', 'gauge', 'Information of the LLMEngine CacheConfig', [[cacheLabels(options), 1]])
  const { sum, count } = counters.ttftSeconds
  lines.push('# HELP vllm:time_to_first_token_seconds Histogram of time to first token in seconds.')
  lines.push('# TYPE vllm:time_to_first_token_seconds histogram')
  lines.push(`vllm:time_to_first_token_seconds_bucket{${base},le="+Inf"} ${count}`)
  lines.push(`vllm:time_to_first_token_seconds_count{${base}} ${count}`)
  lines.push(`vllm:time_to_first_token_seconds_sum{${base}} ${sum}`)
  return `${lines.join('\n')}\n`
}

function cacheLabels(options: MetricsOptions): string {
  const labels: Record<string, string> = {
    block_size: String(BLOCK_SIZE),
    cache_dtype: 'auto',
    enable_prefix_caching: 'True',
    gpu_memory_utilization: String(options.gpuMemoryUtilization),
    kv_cache_max_concurrency: (options.kvTokens / options.maxModelLen).toFixed(2),
    kv_cache_size_tokens: String(options.kvTokens),
    num_gpu_blocks: String(Math.floor(options.kvTokens / BLOCK_SIZE)),
    num_gpu_blocks_override: 'None',
    prefix_caching_hash_algo: 'sha256',
  }
  return Object.entries(labels)
    .map(([name, value]) => `,${name}="${value}"`)
    .join('')
}
