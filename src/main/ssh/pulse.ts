import type { Connection } from './connect.ts'

interface PulseLimits {
  /** Between an answer and the next question. */
  intervalMs: number
  /** Nothing at all has come for so long after a question: the connection is stalled. */
  silenceMs: number
}

/** So that a stall is known within 2.5 s, wherever in the interval it began. */
const LIMITS: PulseLimits = { intervalMs: 1000, silenceMs: 1500 }
/** Nothing listens there for us: the host's only answer is that there is nothing to take back. */
const NO_PORT = 1

/**
 * Asks the far end again and again for an answer that costs nothing, and tells when it falls silent and when it speaks again. Bytes that
 * arrive are an answer too: a link that is full of them delays ours. Ends with the connection.
 */
export function watchPulse(
  connection: Connection,
  on: { silent: (reason: string) => void; alive: () => void },
  limits: Partial<PulseLimits> = {},
): void {
  const { intervalMs, silenceMs } = { ...LIMITS, ...limits }
  let timer: NodeJS.Timeout | undefined
  let isSilent = false
  let asked = 0

  function ask(): void {
    const question = (asked += 1)
    const askedAtMs = performance.now()
    wait(question, askedAtMs, connection.bytesRead?.() ?? 0)
    try {
      connection.client.unforwardIn('127.0.0.1', NO_PORT, () => answered(question))
    } catch {
      // Not connected: its end is on the way.
    }
  }
  function wait(question: number, sinceMs: number, bytes: number): void {
    timer = setTimeout(() => {
      // What has arrived while this process was held up itself is read before this is decided.
      setImmediate(() => {
        if (connection.isClosed() || question !== asked) return
        const now = connection.bytesRead?.() ?? 0
        if (now !== bytes) {
          speak()
          return wait(question, performance.now(), now)
        }
        if (!isSilent) {
          isSilent = true
          on.silent(`no answer from the host for ${((performance.now() - sinceMs) / 1000).toFixed(1)} s`)
        }
        wait(question, sinceMs, now)
      })
    }, silenceMs)
  }
  function speak(): void {
    if (!isSilent) return
    isSilent = false
    on.alive()
  }
  function answered(question: number): void {
    if (connection.isClosed() || question !== asked) return
    clearTimeout(timer)
    // The check that waits behind its timer is none of the next question's.
    asked += 1
    speak()
    timer = setTimeout(ask, intervalMs)
  }

  ask()
  connection.onClose(() => clearTimeout(timer))
}
