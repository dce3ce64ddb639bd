import { createEventReader } from './event-reader.ts'
import type { EventFacts } from './event-facts.ts'
import { createLoopDetector } from './loop-detector.ts'
import { createSseScanner } from './sse.ts'
import type { LoopFinding, OutputEvent, RequestResult, StreamError } from './types.ts'
import { createUsageCounter } from './usage-counter.ts'

interface StreamReaderOptions {
  result: RequestResult
  onEvent?: (event: OutputEvent) => void
  onLoop?: (finding: LoopFinding) => void
}

/** Turns the bytes of one event stream into the fields of a RequestResult. Knows nothing of HTTP. */
interface StreamReader {
  /** `atMs`: performance.now() when the bytes came. */
  push(chunk: Buffer, atMs: number): void
  /** No more bytes will come. `cancelled`: we closed it, so nothing is concluded from its end. */
  end(cancelled: boolean): void
  /** `[DONE]` was seen. */
  readonly done: boolean
  /** Events of any kind that were read. */
  readonly seen: number
}

/** Start of a foreign text for an error message, on one line. */
export function excerpt(text: string, length = 200): string {
  const line = text
    .slice(0, length * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

export function createStreamReader({ result, onEvent, onLoop }: StreamReaderOptions): StreamReader {
  const read = createEventReader()
  const usage = createUsageCounter()
  const detector = onLoop ? createLoopDetector() : undefined
  let now = 0
  let done = false
  let seen = 0

  function fail(kind: StreamError['kind'], message: string): void {
    result.error ??= { kind, message: excerpt(message, 500) }
  }

  function detect(facts: EventFacts): void {
    if (!detector || !onLoop) return
    let found = facts.reasoning === '' ? undefined : detector.push('reasoning', facts.reasoning)
    found ??= facts.content === '' ? undefined : detector.push('content', facts.content)
    if (found) onLoop(found)
  }

  function takeOutput(facts: EventFacts, growth: number): void {
    const first = facts.hasOutput && result.firstEventMs === undefined
    // A usage that only comes at the end corrects the sum, but says nothing about when its tokens came.
    const deltaTokens = usage.source === 'usage' ? growth : Math.min(growth, 1)
    if (!facts.hasOutput && (growth === 0 || (usage.source === 'events' && !facts.isEmptyStep))) return
    result.events += 1
    result.lastEventMs = now
    if (first) {
      result.firstEventMs = now
      result.firstEventTokens = usage.counted
    }
    onEvent?.({ atMs: now, deltaTokens, completionTokens: usage.counted, first })
  }

  function take(facts: EventFacts): void {
    if (facts.promptTokens !== undefined) result.promptTokens = facts.promptTokens
    if (facts.cachedTokens !== undefined) result.cachedTokens = facts.cachedTokens
    if (facts.completionTokens !== undefined) result.usageTold = true
    if (facts.finishReason !== undefined) result.finishReason = facts.finishReason
    const growth = usage.add(facts.completionTokens, facts.hasOutput || facts.isEmptyStep)
    result.outputTokens = usage.outputTokens
    result.tokenSource = usage.source
    if (result.firstTokenMs === undefined && (usage.counted >= 1 || facts.finishReason !== undefined)) result.firstTokenMs = now
    if (result.roleEventMs === undefined && !facts.hasOutput) result.roleEventMs = now
    takeOutput(facts, growth)
    detect(facts)
  }

  const scanner = createSseScanner((data, eventName) => {
    if (done || result.error) return
    seen += 1
    if (data === '[DONE]') {
      done = true
      result.endMs = now
      const found = detector?.end()
      if (found) onLoop?.(found)
      return
    }
    let facts: EventFacts
    try {
      facts = read(data)
    } catch {
      fail('protocol', `the server sent an event that is not JSON: ${excerpt(data)}`)
      return
    }
    if (facts.error !== undefined || eventName === 'error') {
      fail('error_event', `the server reported an error in the middle of the stream: ${facts.error ?? data}`)
      return
    }
    take(facts)
  })

  function guarded(step: () => void): void {
    try {
      step()
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      fail('protocol', error.message)
    }
  }

  return {
    push(chunk, atMs) {
      now = atMs
      guarded(() => scanner.push(chunk))
    },
    end(cancelled) {
      if (cancelled) return
      guarded(() => scanner.end())
      if (done) return
      const found = detector?.end()
      if (found) onLoop?.(found)
    },
    get done() {
      return done
    },
    get seen() {
      return seen
    },
  }
}
