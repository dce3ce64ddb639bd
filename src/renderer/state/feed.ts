import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Feed } from '../../shared/contract/changes.ts'
import type { ErrorInfo } from '../../shared/model/error.ts'
import { toErrorInfo } from './errors.ts'

/** `stale`: the engine is gone, the last value stays on screen. */
export interface FeedState<Value> {
  status: 'waiting' | 'live' | 'stale' | 'failed'
  value?: Value
  error?: ErrorInfo
}

export interface FeedHandlers<Value, Change> {
  onData(message: Feed<Value, Change>): void
  onError(error: unknown): void
  onComplete(): void
  onConnectionStateChange?(state: { state: string }): void
}
export type Subscribe<Value, Change> = (handlers: FeedHandlers<Value, Change>) => { unsubscribe(): void }

export interface FeedStore<Value> extends StoreApi<FeedState<Value>> {
  /** The first user starts the subscription, the last one to leave ends it. */
  use: () => () => void
  ask: () => void
}

const LINGER_MS = 2000

/**
 * Keeps a subscription: the snapshot, then numbered changes. A gap in the numbers, and any message that can't be applied, leads to
 * asking again; a reconnect brings a new snapshot by itself (the engine starts over).
 */
export function createFeed<Value, Change>(
  subscribe: Subscribe<Value, Change>,
  reduce: (value: Value, change: Change) => Value,
): FeedStore<Value> {
  const store = createStore<FeedState<Value>>()(() => ({ status: 'waiting' }))
  let users = 0
  let rev: number | undefined
  let current: { unsubscribe(): void } | undefined
  let generation = 0
  let lingering: ReturnType<typeof setTimeout> | undefined

  const take = (message: Feed<Value, Change>) => {
    if (message.kind === 'snapshot') {
      rev = message.rev
      store.setState({ status: 'live', value: message.value }, true)
      return
    }
    const { value } = store.getState()
    if (rev === undefined || value === undefined || message.rev !== rev + 1) {
      ask()
      return
    }
    rev = message.rev
    store.setState({ status: 'live', value: reduce(value, message.change) }, true)
  }

  const stop = () => {
    generation += 1
    current?.unsubscribe()
    current = undefined
    rev = undefined
  }

  const ask = () => {
    stop()
    const mine = generation
    const ifMine = (act: () => void) => {
      if (mine === generation) act()
    }
    current = subscribe({
      onData: (message) => {
        ifMine(() => {
          take(message)
        })
      },
      onError: (error) => {
        ifMine(() => {
          store.setState({ status: 'failed', error: toErrorInfo(error) })
        })
      },
      onComplete: () => {
        ifMine(() => {
          if (store.getState().value === undefined) store.setState({ status: 'failed', error: ended })
        })
      },
      onConnectionStateChange: ({ state }) => {
        ifMine(() => {
          if (state === 'connecting' && store.getState().value !== undefined) store.setState({ status: 'stale' })
        })
      },
    })
  }

  const use = () => {
    users += 1
    clearTimeout(lingering)
    if (current === undefined) ask()
    let left = false
    return () => {
      if (left) return
      left = true
      users -= 1
      // Going from one screen to the next asks nothing again.
      if (users === 0) lingering = setTimeout(stop, LINGER_MS)
    }
  }
  return { ...store, use, ask }
}

const ended: ErrorInfo = { code: 'protocol', cause: 'The engine ended the subscription without a word.', evidence: [] }
