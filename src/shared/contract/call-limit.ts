import { SpeedgridError } from '../model/error.ts'

/** Calls and subscriptions of one connection that are on their way at once; a page with everything open has some dozens. */
const MOST_AT_ONCE = 200

/** How much one connection may ask for at once. */
export interface CallLimit {
  /** Returns how to leave. Throws `usage` where too many are on their way. */
  enter(): () => void
}

export function createCallLimit(most = MOST_AT_ONCE): CallLimit {
  let inside = 0
  return {
    enter() {
      if (inside >= most) {
        throw new SpeedgridError('usage', 'Too many calls at once.', { nextStep: 'Wait for answers before asking for more.' })
      }
      inside += 1
      return () => {
        inside -= 1
      }
    },
  }
}
