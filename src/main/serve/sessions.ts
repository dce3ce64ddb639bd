import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const TOKEN_LIFE_MS = 24 * 3_600_000
const TOKENS_KEPT = 20
const SESSIONS_KEPT = 50
/** Wrong tokens in a minute; beyond it wrong ones are told to wait. A right one is never refused: nobody guesses 256 bits. */
const TRIES = 20
const TRIES_MS = 60_000

/** What a token is exchanged for: the value of the cookie, and the key that the page's origin keeps. Neither opens anything alone. */
interface Opened {
  session: string
  key: string
}

/** One-time tokens, and the sessions that they were exchanged for. Only digests are kept, and they are compared in constant time. */
export interface Sessions {
  /** A new token, good for one exchange. */
  mint: () => string
  /** `used` for a token that isn't good (any more), `wait` for one after too many of those. */
  exchange: (token: string) => Opened | 'used' | 'wait'
  /** The cookie is one of ours: good for the page's own files, which anybody may have. */
  isOpen: (session: string | undefined) => boolean
  /** Cookie and key belong together: good for everything. */
  isOwn: (session: string | undefined, key: string | undefined) => boolean
}

export function createSessions({ now }: { now: () => number }): Sessions {
  let tokens: { digest: Buffer; untilMs: number }[] = []
  let sessions: { session: Buffer; key: Buffer }[] = []
  let failures: number[] = []
  const secret = () => randomBytes(32).toString('base64url')

  return {
    mint() {
      const token = secret()
      tokens = [...tokens, { digest: digestOf(token), untilMs: now() + TOKEN_LIFE_MS }].slice(-TOKENS_KEPT)
      return token
    },
    exchange(token) {
      const digest = digestOf(token)
      const good = tokens.filter((one) => timingSafeEqual(one.digest, digest) && one.untilMs > now())
      if (good.length === 0) {
        failures = [...failures.filter((atMs) => now() - atMs < TRIES_MS), now()].slice(-TRIES - 1)
        return failures.length > TRIES ? 'wait' : 'used'
      }
      tokens = tokens.filter((one) => !good.includes(one))
      const opened = { session: secret(), key: secret() }
      sessions = [...sessions, { session: digestOf(opened.session), key: digestOf(opened.key) }].slice(-SESSIONS_KEPT)
      return opened
    },
    isOpen(session) {
      if (session === undefined) return false
      const digest = digestOf(session)
      return sessions.filter((one) => timingSafeEqual(one.session, digest)).length > 0
    },
    isOwn(session, key) {
      if (session === undefined || key === undefined) return false
      const digests = { session: digestOf(session), key: digestOf(key) }
      const own = sessions.filter((one) => timingSafeEqual(one.session, digests.session) && timingSafeEqual(one.key, digests.key))
      return own.length > 0
    },
  }
}

const digestOf = (secret: string) => createHash('sha256').update(secret).digest()
