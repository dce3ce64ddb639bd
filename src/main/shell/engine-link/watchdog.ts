const INTERVAL_MS = 5000
/** Unanswered questions in a row, not seconds: a machine that slept has not made its engine hang. */
const PATIENCE = 6

/** Asks the engine for a sign of life; `onSilence` once when it gave none. A busy engine answers late, a hung one never. */
export function createWatchdog({ ask, onSilence }: { ask: () => void; onSilence: () => void }) {
  let unanswered = 0
  const timer = setInterval(() => {
    if (unanswered >= PATIENCE) {
      clearInterval(timer)
      onSilence()
      return
    }
    unanswered += 1
    ask()
  }, INTERVAL_MS)
  return {
    heard() {
      unanswered = 0
    },
    dispose() {
      clearInterval(timer)
    },
  }
}
