import { useSyncExternalStore } from 'react'

interface Ticker {
  now: number
  subscribe: (changed: () => void) => () => void
}

/** One timer for all texts with the same pace. */
function createTicker(everyMs: number): Ticker {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  const ticker: Ticker = {
    now: Date.now(),
    subscribe: (changed) => {
      listeners.add(changed)
      timer ??= setInterval(() => {
        ticker.now = Date.now()
        for (const listener of listeners) listener()
      }, everyMs)
      return () => {
        listeners.delete(changed)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
  return ticker
}

const tickers = new Map<number, Ticker>()

/** Unix ms, renewed every so many ms. */
export function useNow(everyMs: number): number {
  let ticker = tickers.get(everyMs)
  if (ticker === undefined) {
    ticker = createTicker(everyMs)
    tickers.set(everyMs, ticker)
  }
  const held = ticker
  return useSyncExternalStore(held.subscribe, () => held.now)
}
