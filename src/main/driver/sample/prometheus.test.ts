import { describe, expect, test } from 'vitest'
import { parseCacheConfig } from './cache-config.ts'
import { parseMetrics } from './prometheus.ts'

const text = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="qwen"} 3.0
vllm:num_requests_running{engine="1",model_name="qwen"} 5.0
vllm:num_requests_waiting{engine="0",model_name="qwen"} 1.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="qwen",reason="capacity"} 7.0
vllm:kv_cache_usage_perc{engine="0",model_name="qwen"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="qwen"} 0.75
vllm:generation_tokens_total{engine="0",model_name="a}b \\"c\\" {x}"} 1.5e+06
vllm:generation_tokens_created{engine="0",model_name="qwen"} 1.7e+09
vllm:generation_tokens_total_created{engine="0"} 1.7e+09
vllm:prompt_tokens_total 1234 1700000000000
vllm:prompt_tokens_by_source_total{source="local_compute"} 99
vllm:prompt_tokens_cached_total{engine="0"} 800
vllm:prefix_cache_queries_total{engine="0"} 1000.0
vllm:prefix_cache_hits_total{engine="0"} 900.0
vllm:num_preemptions_total{engine="0"} 0.0
vllm:spec_decode_num_drafts_total{engine="0"} 10
vllm:spec_decode_num_draft_tokens_total{engine="0"} 30
vllm:spec_decode_num_accepted_tokens_total{engine="0"} 21
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",position="0"} 9
`

describe('metrics', () => {
  test('sums engines, takes exact names only', () => {
    expect(parseMetrics(text)).toEqual({
      running: 8,
      waiting: 1,
      kvUsage: 0.5,
      generationTokens: 1_500_000,
      promptTokens: 1234,
      cachedPromptTokens: 800,
      prefixCacheQueries: 1000,
      prefixCacheHits: 900,
      preemptions: 0,
      specDrafts: 10,
      specDraftTokens: 30,
      specAcceptedTokens: 21,
    })
  })

  test('passes over junk', () => {
    expect(parseMetrics('')).toBeUndefined()
    expect(parseMetrics('<html>vllm:num_requests_running 5</html>')).toBeUndefined()
    const junk = [
      'vllm:num_requests_running',
      'vllm:num_requests_running NaN',
      'vllm:num_requests_running{engine="0" 4',
      'vllm:num_requests_running{a=b} 4',
      'vllm:num_requests_running 1 2 3',
    ]
    expect(parseMetrics(junk.join('\n'))).toBeUndefined()
    expect(parseMetrics(`${junk.join('\n')}\r\nvllm:num_requests_running 2\r\n`)).toEqual({ running: 2 })
  })
})

describe('KV capacity', () => {
  const info = (labels: Record<string, string>, engine = '0'): string =>
    `vllm:cache_config_info{${Object.entries({ engine, ...labels })
      .map(([name, value]) => `${name}="${value}"`)
      .join(',')}} 1.0\n`

  test('the label is per engine', () => {
    const labels = { kv_cache_size_tokens: '100000', block_size: '16', num_gpu_blocks: '12500', enable_prefix_caching: 'True' }
    expect(parseCacheConfig(info(labels) + info(labels, '1'))).toEqual({
      engines: 2,
      kvTokens: 200_000,
      kvTokensSource: 'kv_cache_size_tokens',
      blockSize: 16,
      prefixCaching: true,
    })
  })

  test('blocks × block size only for plain attention, and the blocks are a sum already', () => {
    const labels = {
      kv_cache_size_tokens: 'None',
      block_size: '16',
      num_gpu_blocks: '12500',
      sliding_window: 'None',
      mamba_block_size: 'None',
    }
    expect(parseCacheConfig(info(labels) + info(labels, '1'))).toMatchObject({
      engines: 2,
      kvTokens: 200_000,
      kvTokensSource: 'num_gpu_blocks*block_size',
    })
    const others: Record<string, string>[] = [
      { sliding_window: '1024' },
      { mamba_block_size: '528' },
      { block_size: '528' },
      { is_attention_free: 'True' },
      { num_gpu_blocks: 'None' },
    ]
    for (const hybrid of others) {
      expect(parseCacheConfig(info({ ...labels, ...hybrid }))?.kvTokens).toBeUndefined()
    }
    expect(parseCacheConfig(`${info(labels)}vllm:parallel_config_info{decode_context_parallel_size="4"} 1\n`)?.kvTokens).toBe(
      800_000,
    )
  })

  test('nothing where there is nothing', () => {
    expect(parseCacheConfig(text)).toBeUndefined()
  })
})
