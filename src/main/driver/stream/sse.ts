import { createByteCollector } from '../../../shared/bytes/index.ts'

/** Beyond anything that one step of a model has to say: a line or an event that goes on is no event stream. */
const MAX_EVENT_BYTES = 1024 * 1024

interface SseScanner {
  /** Throws a RangeError when a line or an event grows beyond 1 MiB. */
  push(chunk: Buffer): void
  /** The stream has ended: an event without its closing blank line is still given out (some servers end that way). */
  end(): void
}

/**
 * Splits a server-sent event stream into the `data` of its events, whatever way the reads cut it. Only whole lines are decoded, and
 * a line end is never inside a UTF-8 sequence, so no decoder state is needed.
 */
export function createSseScanner(onEvent: (data: string, eventName: string | undefined) => void): SseScanner {
  const pending = createByteCollector(MAX_EVENT_BYTES)
  let data: string | undefined
  let eventName: string | undefined
  let atStart = true

  function dispatch(): void {
    const found = data
    const name = eventName
    data = undefined
    eventName = undefined
    if (found !== undefined) onEvent(found, name)
  }

  function takeField(text: string, from: number, end: number): void {
    if (text.startsWith('data:', from)) {
      const value = text.slice(text.charCodeAt(from + 5) === 32 ? from + 6 : from + 5, end)
      if ((data?.length ?? 0) + value.length > MAX_EVENT_BYTES)
        throw new RangeError('an event of the stream is longer than 1 MiB')
      data = data === undefined ? value : `${data}\n${value}`
    } else if (text.startsWith('event:', from)) {
      eventName = text.slice(from + 6, Math.min(end, from + 200)).trim()
    }
  }

  function scan(text: string): void {
    let from = atStart && text.charCodeAt(0) === 0xfeff ? 1 : 0
    atStart = false
    while (from < text.length) {
      const newline = text.indexOf('\n', from)
      const lineEnd = newline < 0 ? text.length : newline
      const end = lineEnd > from && text.charCodeAt(lineEnd - 1) === 13 ? lineEnd - 1 : lineEnd
      if (end === from) dispatch()
      else takeField(text, from, end)
      from = lineEnd + 1
    }
  }

  function keep(bytes: Buffer): void {
    if (!pending.add(bytes)) throw new RangeError('a line of the event stream is longer than 1 MiB')
  }

  function push(chunk: Buffer): void {
    const lastNewline = chunk.lastIndexOf(10)
    if (lastNewline < 0) {
      keep(chunk)
      return
    }
    let from = 0
    if (pending.length > 0) {
      // Only the first line goes on from what waits.
      from = chunk.indexOf(10) + 1
      keep(chunk.subarray(0, from))
      scan(pending.take())
    }
    const end = lastNewline + 1
    if (from < end) scan(chunk.toString('utf8', from, end))
    if (end < chunk.length) keep(chunk.subarray(end))
  }

  function finish(): void {
    if (pending.length > 0) scan(pending.take())
    dispatch()
  }

  return { push, end: finish }
}
