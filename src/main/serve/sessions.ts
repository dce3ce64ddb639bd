import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const TOKEN_LIFE_MS = 24 * 3_600_000
const TOKENS_KEPT = 20
const SESSIONS_KEPT = 50
/** Wrong tokens in a minute; beyond it every try is refused until the minute is over. */
const TRIES = 20
const TRIES_MS = 60_000

/** One-time tokens, and the sessions that they were exchanged for. Only digests are kept, and they are compared in constant time. */
export interface Sessions {
  /** A new token, good for one exchange. */
  mint: () => string
  /** The value of a session cookie; `used` for a token that isn't good (any more), `wait` after too many of those. */
  exchange: (token: string) => { session: string } | 'used' | 'wait'
  isOpen: (session: string | undefined) => boolean
}

export function createSessions({ now }: { now: () => number }): Sessions {
  let tokens: { digest: Buffer; untilMs: number }[] = []
  let sessions: Buffer[] = []
  let failures: number[] = []

  return {
    mint() {
      const token = randomBytes(32).toString('base64url')
      tokens = [...tokens, { digest: digestOf(token), untilMs: now() + TOKEN_LIFE_MS }].slice(-TOKENS_KEPT)
      return token
    },
    exchange(token) {
      failures = failures.filter((atMs) => now() - atMs < TRIES_MS)
      if (failures.length >= TRIES) return 'wait'
      const digest = digestOf(token)
      const good = tokens.filter((one) => timingSafeEqual(one.digest, digest) && one.untilMs > now())
      if (good.length === 0) {
        failures.push(now())
        return 'used'
      }
      tokens = tokens.filter((one) => !good.includes(one))
      const session = randomBytes(32).toString('base64url')
      sessions = [...sessions, digestOf(session)].slice(-SESSIONS_KEPT)
      return { session }
    },
    isOpen(session) {
      if (session === undefined) return false
      const digest = digestOf(session)
      return sessions.filter((one) => timingSafeEqual(one, digest)).length > 0
    },
  }
}

const digestOf = (secret: string) => createHash('sha256').update(secret).digest()
