import type { PrefixCache } from './prefix-cache.ts'
import { isAlternate } from './calibration.ts'
import type { Speed, Speeds } from './speeds.ts'
import { createRandom } from './text.ts'

/** What the engine is asked for. Times are ms of one monotonic clock. */
export interface EngineRequest {
  arrivalMs: number
  promptTokens: number
  /** Hashes of the prompt's full blocks (prefix-cache.ts). */
  blocks: readonly number[]
  maxTokens: number
  /** Where the request ends by itself; Infinity with ignore_eos. */
  stopAtTokens: number
  /** `dueMs` is when these tokens belong; the call may come later. `finish` with the last ones. */
  onTokens(tokens: number, completionTokens: number, dueMs: number, looping: boolean, finish: 'length' | 'stop' | undefined): void
}

interface EngineCounters {
  promptTokens: number
  generationTokens: number
  cachedTokens: number
  prefixQueries: number
  drafts: number
  draftTokens: number
  acceptedTokens: number
  acceptedAtPosition: number[]
  finished: Record<'length' | 'stop' | 'abort', number>
  ttftSeconds: { sum: number; count: number }
}

export interface Scheduler {
  submit(request: EngineRequest): Submitted
  /** Does everything that is due. A step that is late is done now and the next one stays where it belongs. */
  advance(nowMs: number): void
  /** When advance is needed next; undefined while there is nothing to do. */
  nextDueMs(): number | undefined
  readonly running: number
  readonly waiting: number
  /** 0…1 of the KV capacity. */
  readonly kvUsage: number
  readonly counters: EngineCounters
}

export interface Submitted {
  /** Known from the start of the prefill on. */
  readonly cachedTokens: number
  abort(nowMs: number): void
}

interface SchedulerOptions {
  speeds: Speeds
  cache: PrefixCache
  kvTokens: number
  maxSequences: number
  /** Tokens a step: 1 without speculation. */
  acceptanceLength: number
  draftTokens: number
}

interface Sequence {
  request: EngineRequest
  slot: number
  ordinal: number
  cachedTokens: number
  /** The prefill ends here at the earliest; the first token may be later, when the batch's published TTFT says so. */
  prefillDoneMs: number
  generated: number
  /** Tokens owed (fractions of a step's mean carry over). */
  credit: number
  random: () => number
}

/** Far behind (a suspended machine, a debugger): go on from now instead of sending everything at once. */
const GIVE_UP_CATCHING_UP_MS = 2000
/** An engine that was empty this long is measuring something new. */
const NEW_ROUND_AFTER_MS = 250

/** Requests this short warm something up and are no part of a stream. */
const WARM_UP_TOKENS = 256

/** A vLLM-like engine whose steps take the time that the published figures say. Pure: it has no clock and no timer of its own. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { speeds, cache } = options
  const queue: Sequence[] = []
  const prefilling: Sequence[] = []
  const decoding: Sequence[] = []
  const ordinals = new Map<number, number>()
  const counters: EngineCounters = {
    promptTokens: 0,
    generationTokens: 0,
    cachedTokens: 0,
    prefixQueries: 0,
    drafts: 0,
    draftTokens: 0,
    acceptedTokens: 0,
    acceptedAtPosition: Array.from({ length: options.draftTokens }, () => 0),
    finished: { length: 0, stop: 0, abort: 0 },
    ttftSeconds: { sum: 0, count: 0 },
  }
  let prefillFreeMs = 0
  let reservedTokens = 0
  let nextStepMs: number | undefined
  let emptySinceMs = -Infinity
  let seed = 1

  const runningCount = () => prefilling.length + decoding.length
  const need = (sequence: Sequence) => sequence.request.promptTokens + sequence.request.maxTokens

  function freeSlot(): number {
    const taken = new Set([...prefilling, ...decoding].map((sequence) => sequence.slot))
    let slot = 0
    while (taken.has(slot)) slot += 1
    return slot
  }

  function admit(nowMs: number): void {
    while (queue.length > 0) {
      const sequence = queue[0]
      if (!sequence || runningCount() >= options.maxSequences) return
      if (runningCount() > 0 && reservedTokens + need(sequence) > options.kvTokens) return
      queue.shift()
      if (runningCount() === 0 && nowMs - emptySinceMs > NEW_ROUND_AFTER_MS) ordinals.clear()
      sequence.slot = freeSlot()
      sequence.ordinal = ordinals.get(sequence.slot) ?? 0
      if (sequence.request.maxTokens > WARM_UP_TOKENS) ordinals.set(sequence.slot, sequence.ordinal + 1)
      reservedTokens += need(sequence)
      prefilling.push(sequence)
      startPrefill(sequence, nowMs)
    }
  }

  /** Prefills are done one after the other, each reading what the ones before have left in the cache. */
  function startPrefill(sequence: Sequence, nowMs: number): void {
    const { request } = sequence
    // A request that didn't have to wait for a place began when it arrived, not when its body had been read.
    const startMs = Math.max(sequence.request.arrivalMs, prefillFreeMs, sequence.cachedTokens < 0 ? nowMs : 0)
    const cached = cache.cachedTokens(request.blocks, request.promptTokens)
    sequence.cachedTokens = cached
    const computeMs = speeds.prefillMs(request.promptTokens) - (cached > 0 ? speeds.prefillMs(cached) : 0)
    sequence.prefillDoneMs = startMs + Math.max(0, computeMs)
    if (request.promptTokens - cached > 64) prefillFreeMs = sequence.prefillDoneMs
    cache.insert(request.blocks)
    counters.prefixQueries += request.promptTokens
    counters.cachedTokens += cached
  }

  const speedNow = (): Speed => {
    let logSum = 0
    for (const sequence of decoding) logSum += Math.log(Math.max(1, sequence.request.promptTokens))
    return speeds.at(decoding.length > 0 ? Math.round(Math.exp(logSum / decoding.length)) : 1, runningCount())
  }

  const firstTokenMs = (sequence: Sequence) => {
    const { ttftMs } = speeds.at(sequence.request.promptTokens, runningCount())
    return Math.max(sequence.prefillDoneMs, sequence.request.arrivalMs + ttftMs)
  }

  const isLooping = (sequence: Sequence, speed: Speed) => speed.status === 'looped' && sequence.slot === 0

  function emit(sequence: Sequence, wanted: number, dueMs: number, looping: boolean): void {
    const { request } = sequence
    const limit = Math.min(request.maxTokens, request.stopAtTokens)
    const tokens = Math.min(wanted, limit - sequence.generated)
    sequence.generated += tokens
    counters.generationTokens += tokens
    const done = sequence.generated >= limit
    const finish = done ? (sequence.generated >= request.maxTokens ? 'length' : 'stop') : undefined
    if (finish) {
      counters.finished[finish] += 1
      // A request of one token is a scout or a prefill sample: what follows it is a new measurement.
      remove(sequence, dueMs, request.maxTokens === 1)
    }
    request.onTokens(tokens, sequence.generated, dueMs, looping, finish)
  }

  function remove(sequence: Sequence, nowMs: number, newRound: boolean): void {
    for (const list of [queue, prefilling, decoding]) {
      const index = list.indexOf(sequence)
      if (index < 0) continue
      list.splice(index, 1)
      if (list === queue) return
      reservedTokens -= need(sequence)
      if (prefilling.length === 0) prefillFreeMs = Math.min(prefillFreeMs, nowMs)
      if (runningCount() > 0) continue
      emptySinceMs = nowMs
      nextStepMs = undefined
      if (newRound) ordinals.clear()
    }
  }

  function finishPrefills(nowMs: number): void {
    for (const sequence of prefilling.slice()) {
      const dueMs = firstTokenMs(sequence)
      if (dueMs > nowMs) continue
      prefilling.splice(prefilling.indexOf(sequence), 1)
      decoding.push(sequence)
      counters.promptTokens += sequence.request.promptTokens
      counters.ttftSeconds.sum += (dueMs - sequence.request.arrivalMs) / 1000
      counters.ttftSeconds.count += 1
      if (nextStepMs === undefined) nextStepMs = dueMs + stepMs(speedNow())
      emit(sequence, 1, dueMs, isLooping(sequence, speeds.at(sequence.request.promptTokens, runningCount())))
    }
  }

  const stepMs = (speed: Speed) => speed.itlMs * options.acceptanceLength

  function step(dueMs: number, speed: Speed, steps: number): void {
    for (const sequence of decoding.slice()) {
      const alternate = isAlternate(speed.rule, sequence.slot, sequence.ordinal)
      const mean = options.acceptanceLength * (alternate ? speed.itlMs / speed.alternateItlMs : 1)
      let tokens = 0
      for (let index = 0; index < steps; index += 1) tokens += acceptedTokens(sequence, mean)
      emit(sequence, tokens, dueMs, isLooping(sequence, speed))
    }
  }

  /** Tokens of one step: 1 to draftTokens + 1 at random, but never more than about one away from what is owed. */
  function acceptedTokens(sequence: Sequence, mean: number): number {
    if (options.draftTokens === 0) return 1
    sequence.credit += mean
    const wanted = Math.round(sequence.credit + (sequence.random() - 0.5) * 1.6)
    const tokens = Math.max(1, Math.min(options.draftTokens + 1, wanted))
    sequence.credit -= tokens
    counters.drafts += 1
    counters.draftTokens += options.draftTokens
    counters.acceptedTokens += tokens - 1
    for (let position = 0; position < tokens - 1; position += 1) {
      counters.acceptedAtPosition[position] = (counters.acceptedAtPosition[position] ?? 0) + 1
    }
    return tokens
  }

  return {
    submit(request) {
      const sequence: Sequence = {
        request,
        slot: 0,
        ordinal: 0,
        cachedTokens: 0,
        prefillDoneMs: 0,
        generated: 0,
        credit: 0,
        random: createRandom((seed += 1)),
      }
      queue.push(sequence)
      admit(request.arrivalMs)
      if (queue.includes(sequence)) sequence.cachedTokens = -1 // it has to wait: its prefill starts when there is a place
      return {
        get cachedTokens() {
          return Math.max(0, sequence.cachedTokens)
        },
        abort(nowMs) {
          if (![queue, prefilling, decoding].some((list) => list.includes(sequence))) return
          counters.finished.abort += 1
          remove(sequence, nowMs, true)
          admit(nowMs)
        },
      }
    },
    advance(nowMs) {
      admit(nowMs)
      finishPrefills(nowMs)
      if (nextStepMs !== undefined && nowMs - nextStepMs > GIVE_UP_CATCHING_UP_MS) nextStepMs = nowMs
      while (nextStepMs !== undefined && nextStepMs <= nowMs && decoding.length > 0) {
        const speed = speedNow()
        const lengthMs = stepMs(speed)
        // Late steps go out as one event, as vLLM merges the outputs that its API process hasn't fetched yet.
        const steps = 1 + Math.floor((nowMs - nextStepMs) / lengthMs)
        const dueMs = nextStepMs + (steps - 1) * lengthMs
        nextStepMs = dueMs + lengthMs
        step(dueMs, speed, steps)
      }
      if (decoding.length === 0) nextStepMs = undefined
      admit(nowMs)
    },
    nextDueMs() {
      let due = decoding.length > 0 ? nextStepMs : undefined
      for (const sequence of prefilling) {
        const first = firstTokenMs(sequence)
        if (due === undefined || first < due) due = first
      }
      return due
    },
    get running() {
      return runningCount()
    },
    get waiting() {
      return queue.length
    },
    get kvUsage() {
      let held = 0
      for (const sequence of prefilling) held += sequence.request.promptTokens
      for (const sequence of decoding) held += sequence.request.promptTokens + sequence.generated
      return Math.min(1, held / options.kvTokens)
    },
    counters,
  }
}
