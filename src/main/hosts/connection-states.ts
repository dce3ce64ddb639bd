/** How the control connection of a host stands. */
interface ConnectionState {
  state: 'connecting' | 'connected' | 'reconnecting' | 'closed' | 'failed'
  /** Why, in the words of the error. */
  reason?: string
}

/** The states of all control connections, whoever opened them. */
export interface ConnectionStates {
  /** undefined where nobody has connected yet. */
  of: (host: string) => ConnectionState | undefined
  onChange: (listener: (host: string) => void) => () => void
}

export interface ConnectionStateBook extends ConnectionStates {
  set: (host: string, state: ConnectionState) => void
  forget: (host: string) => void
}

export function createConnectionStates(): ConnectionStateBook {
  const states = new Map<string, ConnectionState>()
  const listeners = new Set<(host: string) => void>()
  const tell = (host: string) => {
    for (const listener of Array.from(listeners)) listener(host)
  }
  return {
    of: (host) => states.get(host),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    set(host, state) {
      states.set(host, state)
      tell(host)
    },
    forget(host) {
      if (states.delete(host)) tell(host)
    },
  }
}
