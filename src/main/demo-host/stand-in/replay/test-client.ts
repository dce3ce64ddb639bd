import type { EngineRequest, Scheduler } from './scheduler.ts'

export interface PlayedFigures {
  totalTokensPerSecond: number
  timeBetweenTokensMs: number
  ttftMs: number
  looped: boolean
}

interface Played {
  ttftMs: number
  firstMs: number
  lastMs: number
  tokens: number
}

/** A client without delays of its own, on a clock that jumps from one due time to the next: the figures as docs/measurement.md 4 defines them. */
export function playCell(
  scheduler: Scheduler,
  contextTokens: number,
  concurrency: number,
  options: { windowSeconds: number; settleSeconds: number; maxTokens?: number },
): PlayedFigures {
  const blocks = Array.from({ length: Math.floor(contextTokens / 16) }, (_unused, index) => index + 1)
  const maxTokens = options.maxTokens ?? 4096
  const requests: Played[] = []
  let opensMs = Infinity
  let closesMs = Infinity
  let windowTokens = 0
  let looped = false
  let streaming = 0

  // The scout that warms the cache.
  let nowMs = 0
  const base = { promptTokens: contextTokens, blocks, stopAtTokens: Infinity }
  scheduler.submit({ ...base, arrivalMs: 0, maxTokens: 1, onTokens: () => {} })
  for (let due = scheduler.nextDueMs(); due !== undefined; due = scheduler.nextDueMs()) scheduler.advance((nowMs = due))

  const restarts: number[] = []
  const send = (arrivalMs: number) => {
    const played: Played = { ttftMs: 0, firstMs: 0, lastMs: 0, tokens: 0 }
    const onTokens: EngineRequest['onTokens'] = (tokens, completion, dueMs, looping, finish) => {
      looped ||= looping
      if (played.tokens === 0) {
        played.firstMs = dueMs
        played.ttftMs = dueMs - arrivalMs
        requests.push(played)
        streaming += 1
        if (streaming === concurrency) {
          opensMs = dueMs + options.settleSeconds * 1000
          closesMs = opensMs + options.windowSeconds * 1000
        }
      }
      played.lastMs = dueMs
      played.tokens = completion
      if (dueMs >= opensMs && dueMs < closesMs) windowTokens += tokens
      if (finish) restarts.push(dueMs)
    }
    scheduler.submit({ ...base, arrivalMs, maxTokens, onTokens })
  }
  for (let stream = 0; stream < concurrency; stream += 1) send(nowMs)
  while (nowMs < closesMs) {
    nowMs = scheduler.nextDueMs() ?? nowMs + 1
    scheduler.advance(nowMs)
    for (const endedMs of restarts.splice(0)) send(endedMs)
  }
  const complete = requests.filter((played) => played.tokens > 1)
  return {
    totalTokensPerSecond: windowTokens / options.windowSeconds,
    timeBetweenTokensMs: median(complete.map((played) => (played.lastMs - played.firstMs) / (played.tokens - 1))),
    ttftMs: median(requests.map((played) => played.ttftMs)),
    looped,
  }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}
