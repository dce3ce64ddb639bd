/** Tokens and events beyond the double that a server may have its reasons for (role, usage and finish chunks of short answers). */
const SPARE_EVENTS = 64
const SPARE_BYTES = 1024 * 1024
/** An event of a token with its usage has some hundred bytes; with log probabilities some thousand. */
const BYTES_PER_TOKEN = 16 * 1024

interface StreamSize {
  events: number
  outputTokens: number
  bytes: number
}

/** Why a stream is cut that goes on beyond twice the tokens it was asked for; undefined while it doesn't. */
export function findOverrun({ events, outputTokens, bytes }: StreamSize, maxTokens: number | undefined): string | undefined {
  if (maxTokens === undefined) return undefined
  const most = 2 * maxTokens + SPARE_EVENTS
  const asked = `${String(maxTokens)} ${maxTokens === 1 ? 'token was' : 'tokens were'} asked for`
  if (outputTokens > most) return `the server goes on after ${String(outputTokens)} tokens, where ${asked}`
  if (events > most) return `the server goes on after ${String(events)} events, where ${asked}`
  if (bytes > SPARE_BYTES + most * BYTES_PER_TOKEN) return `the server goes on after ${String(bytes)} bytes, where ${asked}`
  return undefined
}

const SILENCE_MS = 30 * 60_000
/** A slow prefill: 20 tokens of 4 bytes a second. */
const BODY_BYTES_PER_SECOND = 80

/** A stream may be silent while its prompt is processed, and those that came before it, however slowly; a decoding one sends all the time. */
export function patienceMs(silenceMs: number | undefined, waitingBodyBytes: number): number {
  return (silenceMs ?? SILENCE_MS) + (silenceMs === undefined ? (waitingBodyBytes / BODY_BYTES_PER_SECOND) * 1000 : 0)
}

/** Calls `onSilent` once after `patience()` ms without a `touch`. */
export function watchSilence(
  patience: () => number,
  onSilent: (silentMs: number) => void,
): { touch(atMs: number): void; dispose(): void } {
  let lastMs = performance.now()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const leftMs = patience() - (performance.now() - lastMs)
    if (leftMs <= 0) return onSilent(performance.now() - lastMs)
    // A timer can't be set for longer than 24 days.
    timer = setTimeout(look, Math.min(2 ** 31 - 1, leftMs + 1)).unref()
  }
  look()
  return {
    touch: (atMs) => (lastMs = atMs),
    dispose: () => clearTimeout(timer),
  }
}
