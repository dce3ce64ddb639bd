import type { Clock } from './clock.ts'
import type { StreamSet } from './streams.ts'

export interface GateResult {
  filled: boolean
  /** Streams that were producing when the gate opened. */
  effectiveConcurrency: number
  detail?: string
}

const POLL_MS = 20
const K = 1024

/**
 * How long a cell may take to fill (docs/measurement.md 3.5): 60/120/180 s by context, or 1.5 × C × the context's prefill where every
 * request prefills cold. In ms.
 */
export function gateTimeoutMs(contextTokens: number, concurrency: number, coldPrefillSeconds: number): number {
  const base = contextTokens >= 128 * K ? 180 : contextTokens >= 64 * K ? 120 : 60
  return 1000 * Math.max(base, 1.5 * concurrency * coldPrefillSeconds)
}

/**
 * Waits until every needed stream has produced output since the cell began and is in flight, and stays so for the settle time. A stream
 * that has just ended one request and sent the next counts as in flight: short requests on a fast server must pass (docs/vllm.md 7).
 */
export async function waitForGate(options: {
  streams: StreamSet
  clock: Clock
  signal: AbortSignal
  settleSeconds: number
  timeoutMs: number
  /** min(C, max_num_seqs where known) */
  needed: number
  maxNumSeqs?: number
}): Promise<GateResult> {
  const { streams, clock, signal, needed } = options
  const start = clock.now()
  const limited = needed < streams.concurrency
  let since: number | undefined
  for (;;) {
    const now = clock.now()
    const isFull = streams.produced >= needed && streams.inFlight >= needed
    since = isFull ? (since ?? now) : undefined
    if (since !== undefined && now - since >= options.settleSeconds * 1000) {
      if (!limited) return { filled: true, effectiveConcurrency: streams.concurrency }
      const detail = `the server takes ${options.maxNumSeqs ?? needed} requests at once (max_num_seqs)`
      return { filled: false, effectiveConcurrency: needed, detail }
    }
    if (now - start >= options.timeoutMs) {
      const detail = `${streams.produced} of ${streams.concurrency} streams had produced output after ${Math.round(options.timeoutMs / 1000)} s`
      return { filled: false, effectiveConcurrency: streams.decoding, detail }
    }
    await clock.sleep(POLL_MS, signal)
  }
}
