import { z } from 'zod'

/** One GPU at one moment. A value the device doesn't report is absent (unified-memory GPUs say [N/A]). */
export const gpuSampleSchema = z.object({
  index: z.int(),
  uuid: z.string().optional(),
  utilizationPercent: z.number().optional(),
  memoryUsedMiB: z.number().optional(),
  powerWatts: z.number().optional(),
  temperatureC: z.number().optional(),
  smClockMhz: z.number().optional(),
  memoryClockMhz: z.number().optional(),
  /** Decoded from clocks_event_reasons.active, `idle` left out. */
  throttleReasons: z.array(z.string()).optional(),
})
export type GpuSample = z.infer<typeof gpuSampleSchema>

/** The server's own gauges and counters at one scrape, summed over `engine` labels. */
export const metricsSampleSchema = z.object({
  running: z.number().optional(),
  waiting: z.number().optional(),
  kvUsage: z.number().optional(),
  generationTokens: z.number().optional(),
  promptTokens: z.number().optional(),
  cachedPromptTokens: z.number().optional(),
  prefixCacheQueries: z.number().optional(),
  prefixCacheHits: z.number().optional(),
  preemptions: z.number().optional(),
  specDrafts: z.number().optional(),
  specDraftTokens: z.number().optional(),
  specAcceptedTokens: z.number().optional(),
})
export type MetricsSample = z.infer<typeof metricsSampleSchema>
