/** Starts things one in a turn of the event loop; the first one at once. */
export interface StartQueue {
  enter(start: () => void): void
}

/**
 * When C requests start together, making one of them takes a tenth of a millisecond, and none is sent before the turn of the event loop
 * ends: started in one turn, the first one's clock would run while the others are made.
 */
export function createStartQueue(): StartQueue {
  const waiting: (() => void)[] = []
  let isBusy = false

  function next(): void {
    const start = waiting.shift()
    if (!start) {
      isBusy = false
      return
    }
    setImmediate(next)
    start()
  }

  return {
    enter(start) {
      waiting.push(start)
      if (isBusy) return
      isBusy = true
      next()
    },
  }
}
