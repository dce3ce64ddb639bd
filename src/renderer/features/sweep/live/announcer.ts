/** How often a screen reader may be told something at most. */
export const ANNOUNCE_EVERY_MS = 4000

/**
 * Gathers what happened and says it at most every few seconds: the latest cell by name, the others as a number.
 * `dispose` drops what wasn't said.
 */
export function createAnnouncer(say: (text: string) => void, everyMs = ANNOUNCE_EVERY_MS) {
  let waiting: string[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = () => {
    timer = undefined
    const last = waiting.at(-1)
    if (last === undefined) return
    const others = waiting.length - 1
    waiting = []
    say(others > 0 ? `${last}; ${others} more before it` : last)
    timer = setTimeout(flush, everyMs)
  }
  return {
    add(text: string) {
      waiting.push(text)
      if (timer === undefined) flush()
    },
    dispose() {
      clearTimeout(timer)
      timer = undefined
      waiting = []
    },
  }
}
