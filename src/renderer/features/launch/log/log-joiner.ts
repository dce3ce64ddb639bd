interface LogJoiner {
  /** A piece of the log as it came. Returns what is new. */
  push(piece: string): string
  /** The next piece begins a new reading, somewhere before the end of what is known. */
  restart(): void
  /** Nothing more comes for now: what waits for its place is given out as it is. */
  settle(): string
}

/** So many characters of a log with times in it don't occur twice. */
const KNOWN_CHARS = 2000
/** A new reading begins at most this far back (the tail that is asked for, with room for what came meanwhile). */
const PATIENCE_CHARS = 8 * 1024 * 1024

/** Joins the readings of one log: after a reconnect the tail comes again, and only what is new of it is shown. */
export function createLogJoiner(gap = '\n… the log goes on here; lines in between may be missing …\n'): LogJoiner {
  let known = ''
  /** Undefined while nothing has to be found. */
  let looking: string | undefined

  const remember = (text: string) => {
    known = (known + text).slice(-KNOWN_CHARS)
    return text
  }
  const giveUp = () => {
    const text = looking ?? ''
    looking = undefined
    return text === '' ? '' : remember(gap + text)
  }
  return {
    push(piece) {
      if (looking === undefined) return remember(piece)
      const from = Math.max(0, looking.length - known.length)
      looking += piece
      const at = looking.indexOf(known, from)
      if (at < 0) return looking.length > PATIENCE_CHARS ? giveUp() : ''
      const rest = looking.slice(at + known.length)
      looking = undefined
      return remember(rest)
    },
    restart() {
      // A reading that was cut before its place was found is taken up by the next one.
      looking = known === '' ? undefined : ''
    },
    settle: giveUp,
  }
}
