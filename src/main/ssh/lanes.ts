import type { Connection } from './connect.ts'
import { watchPulse } from './pulse.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'
import type { TunnelState } from './types.ts'

/** A measurement waits for the link: it is tried more often than where only a screen does. */
const RECONNECT = { firstDelayMs: 500, maxDelayMs: 5000 }

interface Lane {
  supervisor: Supervisor
  /** Streams that it carries. */
  load: number
  state: TunnelState
}

interface Lanes {
  /** The connection with the fewest streams, counted until `release` is called; undefined while none is up. */
  take(): { connection: Connection; release: () => void } | undefined
  /** `down` and `lost` where that is true of any: a measurement needs them all. */
  readonly state: TunnelState
  onStateChange(listener: (state: TunnelState) => void): () => void
  dispose(): void
}

/** Connections of a tunnel, each kept up and watched by itself. Throws what opening the first ones throws. */
export async function openLanes(deps: { hostName: string; count: number; open: () => Promise<Connection> }): Promise<Lanes> {
  const { hostName } = deps
  const lanes: Lane[] = []
  const listeners = new Set<(state: TunnelState) => void>()
  let told: TunnelState = { state: 'up' }
  let disposed = false

  const stateOfAll = (): TunnelState =>
    (['lost', 'down'] as const).map((bad) => lanes.find(({ state }) => state.state === bad)?.state).find(Boolean) ?? {
      state: 'up',
    }
  function tell(lane: Lane, state: TunnelState): void {
    lane.state = state
    const now = stateOfAll()
    if (disposed || (now.state === told.state && now.reason === told.reason)) return
    told = now
    for (const listener of listeners) listener(now)
  }
  function watch(lane: Lane, connection: Connection): void {
    watchPulse(connection, {
      silent: (reason) => tell(lane, { state: 'down', reason }),
      alive: () => tell(lane, { state: 'up' }),
    })
  }
  function dispose(): void {
    disposed = true
    for (const { supervisor } of lanes) supervisor.dispose()
    listeners.clear()
  }

  // One after the other: the person may be asked on the first, and not again on the others.
  try {
    while (lanes.length < deps.count) {
      const first = await deps.open()
      const supervisor = createSupervisor({ hostName, first, open: deps.open, limits: RECONNECT })
      const lane: Lane = { supervisor, load: 0, state: { state: 'up' } }
      supervisor.onStateChange(({ state, reason }) => {
        const because = reason === undefined ? {} : { reason }
        if (state === 'reconnecting') return tell(lane, { state: 'down', ...because })
        if (state === 'closed') return tell(lane, { state: 'lost', ...because })
        tell(lane, { state: 'up' })
        const connection = supervisor.current()
        if (connection) watch(lane, connection)
      })
      lanes.push(lane)
      watch(lane, first)
    }
  } catch (error) {
    dispose()
    throw error
  }

  return {
    take() {
      let least: { lane: Lane; connection: Connection } | undefined
      for (const lane of lanes) {
        const connection = lane.supervisor.current()
        if (connection && (least === undefined || lane.load < least.lane.load)) least = { lane, connection }
      }
      if (least === undefined) return undefined
      const { lane, connection } = least
      lane.load += 1
      return { connection, release: () => void (lane.load -= 1) }
    },
    get state() {
      return told
    },
    onStateChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    dispose,
  }
}
