import { SpeedgridError } from '../../shared/model/error.ts'
import type { SignalSource } from './deps.ts'
import { EXIT } from './exit-codes.ts'

/** npm, a launcher and the terminal may each deliver the same Ctrl-C. */
const SAME_PRESS_MS = 250

/** Ctrl-C once asks, twice leaves. */
export interface Interrupts {
  /** Aborted at the first Ctrl-C. */
  readonly signal: AbortSignal
  /** The person pressed Ctrl-C (also called for the raw-mode key). */
  press(): void
  /** From now on the caller ends in good order after the first Ctrl-C; without this the command is simply abandoned. */
  takeOver(onFirst: () => void): () => void
  onHangup(listener: () => void): () => void
  /** Called just before leaving at the second Ctrl-C: restore the terminal, say what stays behind. */
  onLeave(listener: () => void): () => void
  /** Rejects with `interrupted` at the first Ctrl-C that nobody took over. */
  readonly abandoned: Promise<never>
  dispose(): void
}

export function createInterrupts(deps: { onSignal: SignalSource; exitNow(code: number): void; now(): number }): Interrupts {
  const controller = new AbortController()
  const takers = new Set<() => void>()
  const leavers = new Set<() => void>()
  const hangups = new Set<() => void>()
  let firstAt: number | undefined
  let abandon: (error: Error) => void = () => {}
  const abandoned = new Promise<never>((_, reject) => {
    abandon = reject
  })
  abandoned.catch(() => {})

  const press = () => {
    const now = deps.now()
    if (firstAt === undefined) {
      firstAt = now
      controller.abort()
      if (takers.size === 0) abandon(new SpeedgridError('interrupted', 'Interrupted.'))
      for (const taker of takers) taker()
    } else if (now - firstAt >= SAME_PRESS_MS) {
      for (const leaver of leavers) leaver()
      deps.exitNow(EXIT.interrupted)
    }
  }
  const stop = deps.onSignal((kind) => {
    if (kind === 'interrupt') return press()
    if (hangups.size === 0) return press()
    for (const hangup of hangups) hangup()
  })
  const register = (set: Set<() => void>) => (listener: () => void) => {
    set.add(listener)
    return () => void set.delete(listener)
  }
  return {
    signal: controller.signal,
    press,
    takeOver: register(takers),
    onHangup: register(hangups),
    onLeave: register(leavers),
    abandoned,
    dispose: stop,
  }
}
