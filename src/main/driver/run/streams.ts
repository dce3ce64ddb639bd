import type { DriverClient, InFlight, LoopFinding, OutputEvent, RequestResult, StreamError } from '../stream/types.ts'
import type { EventLog } from './event-log.ts'

export interface NextRequest {
  path: string
  body: Buffer
  /** Length of its prompt as it was counted when it was built. */
  countedTokens?: number
  maxTokens?: number
}

/** What a slot sends: `replacement` counts the loops it was restarted after, so that another task can be sent. */
type RequestSource = (stream: number, ordinal: number, replacement: number) => NextRequest | Promise<NextRequest>

export interface TrackedRequest {
  stream: number
  ordinal: number
  result: RequestResult
  /** Its prompt's length as counted beforehand: the server tells it only with usage, which a request that is cut may never get. */
  countedTokens?: number
  /** Tokens of its events as logged. */
  loggedTokens: number
  /** Restarted because it looped (onLoop: replace). */
  looped: boolean
}

export interface StreamSet {
  start(): void
  readonly concurrency: number
  /** Streams that have produced output since they began. */
  readonly produced: number
  /** Streams with a request in flight now. */
  readonly inFlight: number
  /** Streams between first and last event now. */
  readonly decoding: number
  readonly requests: TrackedRequest[]
  /** Called for every output event, in the socket callback: keep it short. */
  watch(watcher: ((stream: number, atMs: number, tokens: number) => void) | undefined): void
  /** Restarts a stream whose text loops with another task. */
  replace(stream: number): void
  /** Closes all requests; resolves when every stream has ended. */
  cancel(): Promise<void>
}

interface StreamSetOptions {
  client: DriverClient
  log: EventLog
  concurrency: number
  source: RequestSource
  detectLoops: boolean
  /** Every event's stamp, in the socket callback. */
  onArrival?: (atMs: number, first: boolean) => void
  onLoop: (stream: number, finding: LoopFinding) => void
  onFailure: (stream: number, error: StreamError) => void
}

interface Slot {
  produced: boolean
  current: InFlight | undefined
  tracked: TrackedRequest | undefined
  replacement: number
}

function failureOf(error: unknown): StreamError {
  return { kind: 'protocol', message: error instanceof Error ? error.message : String(error) }
}

/** C slots; each keeps one request in flight and sends the next as soon as the last one ends. */
export function createStreamSet(options: StreamSetOptions): StreamSet {
  const { client, log, source } = options
  const slots: Slot[] = Array.from({ length: options.concurrency }, () => ({
    produced: false,
    current: undefined,
    tracked: undefined,
    replacement: 0,
  }))
  const requests: TrackedRequest[] = []
  let produced = 0
  let inFlight = 0
  let decoding = 0
  let stopped = false
  let watcher: ((stream: number, atMs: number, tokens: number) => void) | undefined
  let running: Promise<unknown> = Promise.resolve()
  let stop: () => void = () => undefined
  const stopping = new Promise<undefined>((resolve) => (stop = () => resolve(undefined)))

  function begin(
    stream: number,
    ordinal: number,
    slot: Slot,
    request: NextRequest,
  ): { tracked: TrackedRequest; done: Promise<RequestResult> } {
    const index = requests.length
    const onEvent = (event: OutputEvent) => {
      options.onArrival?.(event.atMs, event.first)
      log.add(index, event.atMs, event.deltaTokens)
      tracked.loggedTokens += event.deltaTokens
      if (event.first) {
        decoding += 1
        if (!slot.produced) {
          slot.produced = true
          produced += 1
        }
      }
      watcher?.(stream, event.atMs, event.deltaTokens)
    }
    const onLoop = options.detectLoops ? (finding: LoopFinding) => options.onLoop(stream, finding) : undefined
    const flight = client.stream({
      path: request.path,
      body: request.body,
      maxTokens: request.maxTokens,
      onEvent,
      ...(onLoop ? { onLoop } : {}),
    })
    const tracked: TrackedRequest = {
      stream,
      ordinal,
      result: flight.result,
      loggedTokens: 0,
      looped: false,
      ...(request.countedTokens === undefined ? {} : { countedTokens: request.countedTokens }),
    }
    requests.push(tracked)
    slot.current = flight
    slot.tracked = tracked
    inFlight += 1
    return { tracked, done: flight.done }
  }

  function settle(index: number, tracked: TrackedRequest, result: RequestResult): void {
    inFlight -= 1
    if (result.firstEventMs !== undefined) decoding -= 1
    // Tokens that only the closing usage told (held-back text): counted when they were told.
    const rest = result.outputTokens - tracked.loggedTokens
    if (rest > 0 && result.tokenSource === 'usage' && result.firstEventMs !== undefined) {
      tracked.loggedTokens += rest
      log.add(index, result.endMs ?? result.lastEventMs ?? result.firstEventMs, rest)
    }
  }

  async function runSlot(stream: number, slot: Slot): Promise<void> {
    for (let ordinal = 1; ; ordinal += 1) {
      if (stopped) return
      const next = source(stream, ordinal, slot.replacement)
      // A prompt that is still being built shall not hold up the end.
      const request = next instanceof Promise ? await Promise.race([next, stopping]) : next
      if (stopped || !request) return
      const { tracked, done } = begin(stream, ordinal, slot, request)
      const index = requests.length - 1
      const result = await done
      settle(index, tracked, result)
      slot.current = undefined
      if (stopped) return
      if (result.error) return options.onFailure(stream, result.error)
      if (result.cancelled && tracked.looped) continue
      if (result.completed && result.firstEventMs === undefined) {
        return options.onFailure(stream, { kind: 'protocol', message: 'a request ended without any output' })
      }
    }
  }

  return {
    concurrency: options.concurrency,
    requests,
    start() {
      running = Promise.all(
        slots.map((slot, stream) =>
          runSlot(stream, slot).catch((error: unknown) => {
            if (!stopped) options.onFailure(stream, failureOf(error))
          }),
        ),
      )
    },
    get produced() {
      return produced
    },
    get inFlight() {
      return inFlight
    },
    get decoding() {
      return decoding
    },
    watch(next) {
      watcher = next
    },
    replace(stream) {
      const slot = slots[stream]
      if (!slot?.current || !slot.tracked) return
      slot.replacement += 1
      slot.tracked.looped = true
      slot.current.cancel()
    },
    async cancel() {
      stopped = true
      stop()
      watcher = undefined
      for (const slot of slots) slot.current?.cancel()
      await running
    },
  }
}
