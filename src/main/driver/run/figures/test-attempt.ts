import type { RequestResult } from '../../stream/types.ts'
import { createEventLog, type EventColumns } from '../event-log.ts'
import type { TrackedRequest } from '../streams.ts'

/** A request of which only what matters is said. */
export function request(
  fields: Partial<RequestResult> & { stream?: number; ordinal?: number; loggedTokens?: number },
): TrackedRequest {
  const { stream = 0, ordinal = 1, loggedTokens = fields.outputTokens ?? 0, ...result } = fields
  return {
    stream,
    ordinal,
    loggedTokens,
    looped: false,
    result: { startMs: 0, outputTokens: 0, events: 0, completed: false, tokenSource: 'usage', cancelled: false, ...result },
  }
}

/** A log as the attempt would have left it. */
export function columns(events: [timeMs: number, tokens: number, request?: number][]): EventColumns {
  const log = createEventLog(0)
  for (const [time, tokens, owner = 0] of events) log.add(owner, time, tokens)
  return log.columns()
}
