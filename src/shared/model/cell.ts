import { z } from 'zod'

/** docs/measurement.md 5. `pending` only while a run is not finished. */
export const CELL_STATUSES = ['valid', 'looped', 'over_capacity', 'error', 'skipped', 'cancelled', 'pending'] as const
export type CellStatus = (typeof CELL_STATUSES)[number]

/** Doubts about a valid cell (docs/measurement.md 5). */
const FLAGS = [
  'prompt_length',
  'not_filled',
  'foreign_load',
  'cache_miss',
  'client_limited',
  'path_noise',
  'drifting',
  'few_samples',
  'stalled',
  'cold_unverified',
  'server_disagrees',
  'throttled',
  'preempted',
  'estimated_tokens',
  'loop_replaced',
] as const
export type FlagName = (typeof FLAGS)[number]

/** `figures` names the figures a doubt is about, where it is not about all of them (few_samples is shown at the figure). */
export const flagSchema = z.object({ flag: z.enum(FLAGS), detail: z.string(), figures: z.array(z.string()).optional() })
export type Flag = z.infer<typeof flagSchema>

const spread = z.object({ p50: z.number(), p90: z.number(), p99: z.number() })
export type Spread = z.infer<typeof spread>

/** What broke a try off that says nothing about the cell: it is measured again (`cancelled`; `error` at a cell's second dead server). */
const cutBySchema = z.enum(['server_gone', 'link_lost'])

/** The figures of one attempt, as docs/measurement.md 4 defines them. A figure that was not measured is absent, never 0. */
export const cellFiguresSchema = z.object({
  /** Real prompt length: median over the attempt's requests, from usage.prompt_tokens. */
  promptTokens: z.number().optional(),
  totalTokensPerSecond: z.number().optional(),
  /** In place of the total where nobody knows how many tokens an event holds (tokenSource `events`). */
  eventsPerSecond: z.number().optional(),
  perRequestTokensPerSecond: z.number().optional(),
  ttftMs: z.number().optional(),
  timeBetweenTokensMs: z.number().optional(),
  /** Mean of the server's running gauge in the window. */
  activeRequestsMean: z.number().optional(),
  /** Our own time-weighted count of streams that are between their first and last event. */
  decodingStreamsMean: z.number().optional(),
  completedRequests: z.int().optional(),
  outputTokens: z.int().optional(),
  /** The divisor of totalTokensPerSecond: the window. (Runs before December 2026: up to the last counted token.) */
  measuredSeconds: z.number().optional(),
  windowSeconds: z.number().optional(),
  /** Half-width at 95 % of the total rate, in percent of it. */
  confidence95Percent: z.number().optional(),
  confidenceSource: z.enum(['window', 'repeats', 'assumed']).optional(),
  /**
   * Who counted the tokens. usage: the server, with every event. final_usage: events, by what finished requests told at their end.
   * server_counter: events × the growth of the server's counter. events: nobody; earlier runs put a total beside it, which is an estimate.
   */
  tokenSource: z.enum(['usage', 'final_usage', 'server_counter', 'events']).optional(),
  /** Where events were counted: tokens that one of a cut request stands for. */
  tokensPerEvent: z.number().optional(),
  percentiles: z
    .object({ ttftMs: spread.optional(), timeBetweenTokensMs: spread.optional(), eventGapMs: spread.optional() })
    .optional(),
  /** TTFT split: the burst at the cell's start, requests that followed another one, and clocked from the last body byte sent. */
  ttftInitialMs: z.number().optional(),
  ttftRestartMs: z.number().optional(),
  ttftFromLastByteMs: z.number().optional(),
  /** Requests behind the medians. */
  requestSamples: z.int().optional(),
  speculative: z
    .object({
      drafts: z.number(),
      draftTokens: z.number(),
      acceptedTokens: z.number(),
      acceptanceLength: z.number(),
      stepsPerSecond: z.number(),
    })
    .optional(),
  cache: z.object({ cachedShare: z.number().optional(), preemptions: z.number().optional() }).optional(),
  serverCheck: z
    .object({ serverTokens: z.number(), ourTokens: z.number(), differencePercent: z.number(), seconds: z.number() })
    .optional(),
  energy: z
    .object({
      meanWatts: z.number(),
      joulesPerOutputToken: z.number().optional(),
      gpuCount: z.int(),
      smClockMhz: z.number().optional(),
      temperatureC: z.number().optional(),
      throttleReasons: z.array(z.string()),
      samples: z.int(),
    })
    .optional(),
  path: z
    .object({
      latenessP99Ms: z.number().optional(),
      /** What the median TTFT may be too long by: first outputs read late, and waiting for the processor. */
      firstLatenessP50Ms: z.number().optional(),
      /** How late our program got to run when something was due, and the longest it didn't run. */
      loopDelayP99Ms: z.number().optional(),
      loopDelayMaxMs: z.number().optional(),
      /** Tokens of which it isn't known on which side of the window's edges they were made, in percent of the window's. */
      edgeDoubtPercent: z.number().optional(),
      cpuShare: z.number().optional(),
      events: z.int().optional(),
    })
    .optional(),
})
export type CellFigures = z.infer<typeof cellFiguresSchema>

/** One request of an attempt. Times in ms since the attempt's start, by the driver's monotonic clock. */
const requestRecordSchema = z.object({
  stream: z.int(),
  ordinal: z.int(),
  startMs: z.number(),
  lastByteSentMs: z.number().optional(),
  firstEventMs: z.number().optional(),
  lastEventMs: z.number().optional(),
  endMs: z.number().optional(),
  promptTokens: z.int().optional(),
  cachedTokens: z.int().optional(),
  outputTokens: z.int(),
  firstEventTokens: z.int().optional(),
  events: z.int(),
  completed: z.boolean(),
  finishReason: z.string().optional(),
  error: z.string().optional(),
})
export type RequestRecord = z.infer<typeof requestRecordSchema>

/** One second of the window. */
const secondSchema = z.object({
  second: z.int(),
  tokens: z.int(),
  events: z.int(),
  running: z.number().optional(),
  waiting: z.number().optional(),
  kvUsage: z.number().optional(),
})
export type SecondRecord = z.infer<typeof secondSchema>

/**
 * Raw event times, bounded: columns of equal length, deflated and base64 encoded (see driver/run/raw-events.ts for the layout).
 * `truncated` says that later events are missing.
 */
export const rawEventsSchema = z.object({
  encoding: z.literal('deltas-deflate-base64/1'),
  count: z.int(),
  truncated: z.boolean(),
  data: z.string(),
})

/** One try at a cell, complete: what the driver writes when it ends, whatever the outcome. */
export const attemptSchema = z.object({
  contextTokens: z.int(),
  concurrency: z.int(),
  repeat: z.int(),
  /** 1 for the first try at this (context, concurrency, repeat); a re-measurement counts on. */
  attempt: z.int(),
  status: z.enum(CELL_STATUSES),
  reason: z.string().optional(),
  cutBy: cutBySchema.optional(),
  flags: z.array(flagSchema),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  figures: cellFiguresSchema,
  /** What a looped or cancelled attempt had measured until then; never mixed with figures. */
  discarded: cellFiguresSchema.optional(),
  neededTokens: z.number().optional(),
  kvTokens: z.number().optional(),
  /** Seconds spent per phase: barrier, warmup, scout, fill, window, drain. */
  phaseSeconds: z.record(z.string(), z.number()),
  /** Edges of the window in ms since the attempt's start (as requests and rawEvents); absent where it never opened. */
  windowOpenMs: z.number().optional(),
  windowCloseMs: z.number().optional(),
  series: z.array(secondSchema),
  requests: z.array(requestRecordSchema),
  rawEvents: rawEventsSchema.optional(),
  loop: z
    .object({
      stream: z.int(),
      channel: z.enum(['reasoning', 'content']),
      periodChars: z.int(),
      cycles: z.int(),
      repeatedChars: z.int(),
      excerpt: z.string(),
    })
    .optional(),
  /** Last lines of the server's log where it died during the attempt. */
  logLines: z.array(z.string()).optional(),
})
export type Attempt = z.infer<typeof attemptSchema>

export const prefillSampleSchema = z.object({
  ttftMs: z.number(),
  promptTokens: z.int(),
  cachedTokens: z.int().optional(),
  /** cached tokens were seen to be 0 */
  coldVerified: z.boolean(),
  tokensPerSecond: z.number(),
})

/** The prefill of one context: cold requests of one output token. */
export const prefillResultSchema = z.object({
  contextTokens: z.int(),
  status: z.enum(CELL_STATUSES),
  reason: z.string().optional(),
  cutBy: cutBySchema.optional(),
  flags: z.array(flagSchema),
  source: z.enum(['standalone', 'scout']),
  /** Medians over samples. */
  promptTokens: z.int().optional(),
  cachedTokens: z.int().optional(),
  ttftMs: z.number().optional(),
  tokensPerSecond: z.number().optional(),
  /** (max − min) ÷ median of the samples' TTFT in percent, where there are two or more. */
  spreadPercent: z.number().optional(),
  samples: z.array(prefillSampleSchema),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  seconds: z.number(),
})
export type PrefillResult = z.infer<typeof prefillResultSchema>
