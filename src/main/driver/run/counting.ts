import type { Plan } from '../../../shared/model/plan.ts'
import type { RequestResult } from '../stream/types.ts'

/** How the tokens of measured requests are counted (docs/measurement.md 4.1). */
export interface Counting {
  /** Measured requests ask for the running count with every event: exact, and work for the server at every token. */
  withEvents: boolean
  /** Without it: the warm-up's request, which asked for it, showed that each event brings one token. */
  oneTokenAnEvent: boolean
}

/** Until the warm-up has shown what the server can do. */
export const COUNT_WITH_EVENTS: Counting = { withEvents: true, oneTokenAnEvent: false }

/** Too few events show nothing about the next ones. */
const FEWEST_EVENTS = 8

const showsOneTokenAnEvent = ({ tokenSource, events, outputTokens }: RequestResult): boolean =>
  tokenSource === 'usage' && events >= FEWEST_EVENTS && events === outputTokens

/**
 * `auto` leaves the running count out where nothing is lost by it: every event is one token, and the server's own counter is there to check
 * them by. With several tokens an event (speculative decoding, stream intervals) only the running count is exact.
 */
export function chooseCounting(options: {
  wanted: Plan['countTokens']
  /** Requests that asked for the running count, alone on the server. */
  warmUps: RequestResult[]
  hasServerCounter: boolean
  /** Speculation may guess nothing in one text and much in the next. */
  isSpeculative: boolean
}): Counting {
  const { wanted, warmUps, hasServerCounter, isSpeculative } = options
  const oneTokenAnEvent = !isSpeculative && warmUps.some(showsOneTokenAnEvent)
  const withEvents = wanted === 'with-events' || (wanted === 'auto' && !(oneTokenAnEvent && hasServerCounter))
  return { withEvents, oneTokenAnEvent: !withEvents && oneTokenAnEvent }
}
