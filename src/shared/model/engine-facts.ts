import { z } from 'zod'

const KV_SOURCES = ['plan', 'kv_cache_size_tokens', 'startup_log', 'num_gpu_blocks*block_size'] as const

/** What is known about a running server. What can't be found out is absent, never guessed (docs/measurement.md 2). */
export const engineFactsSchema = z.object({
  name: z.enum(['vllm', 'sglang', 'openai']),
  version: z.string().optional(),
  /** The name requests use. */
  servedModel: z.string(),
  /** The model's own name: `root` of /v1/models where the served name hides it. */
  model: z.string().optional(),
  modelRevision: z.string().optional(),
  maxModelLen: z.int().optional(),
  kvTokens: z.number().optional(),
  kvTokensSource: z.enum(KV_SOURCES).optional(),
  /** Number of data-parallel engines (distinct `engine` labels). */
  engines: z.int().optional(),
  maxNumSeqs: z.int().optional(),
  maxNumSeqsSource: z.enum(['argv', 'startup_log', 'default']).optional(),
  quantization: z.string().optional(),
  backend: z.string().optional(),
  build: z.string().optional(),
  repository: z.string().optional(),
  commit: z.string().optional(),
  speculative: z.boolean().optional(),
  /** The demo lab machine says so itself (response header), and everything that shows its figures repeats it. */
  demo: z.boolean().optional(),
  capabilities: z.object({
    metrics: z.boolean(),
    tokenize: z.boolean(),
    /** usage on every chunk; unknown until the first stream was seen */
    continuousUsage: z.boolean().optional(),
    /** usage.prompt_tokens_details.cached_tokens is reported */
    cachedTokens: z.boolean().optional(),
  }),
})
export type EngineFacts = z.infer<typeof engineFactsSchema>
