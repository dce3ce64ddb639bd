import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import type { AppRouter } from '../../shared/contract/router.ts'
import type { Bridge } from './bridge.ts'
import { createBridgeSocketClass } from './bridge-socket.ts'
import { readPageKey } from './page-key.ts'
import { PAGE_PROTOCOL } from '../../shared/contract/page-key.ts'
import { type ConnectionStore, createConnectionStore } from './connection.ts'

export interface Link {
  client: EngineClient
  connection: ConnectionStore
  dispose(): void
}

export type EngineClient = ReturnType<typeof createTRPCClient<AppRouter>>

/** Grows from 250 ms to 4 s: a restarted engine is found quickly, an absent one isn't hammered. */
const retryDelayMs = (attempt: number) => (attempt === 0 ? 0 : Math.min(4000, 250 * 2 ** (attempt - 1)))

interface LinkOptions {
  bridge?: Bridge | undefined
  /** `host:port` of the page. */
  location: { protocol: string; host: string }
}

/** Read at each connection: a new link, opened in another tab, brings another key. */
class KeyedWebSocket extends WebSocket {
  constructor(url: string | URL) {
    const key = readPageKey()
    super(url, key === undefined ? PAGE_PROTOCOL : [PAGE_PROTOCOL, key])
  }
}

/** The one way to the engine: tRPC's WebSocket protocol, through the bridge in the window, a real socket in the page. */
export function createLink({ bridge, location }: LinkOptions): Link {
  const connection = createConnectionStore()
  const socket = createWSClient({
    url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/trpc`,
    WebSocket: bridge === undefined ? KeyedWebSocket : createBridgeSocketClass(bridge),
    retryDelayMs,
    keepAlive: { enabled: true, intervalMs: 10_000, pongTimeoutMs: 10_000 },
    onOpen: () => {
      connection.setState({ state: 'up', since: Date.now() })
    },
    onClose: () => {
      connection.setState((before) => ({ state: 'gone', since: before.state === 'gone' ? before.since : Date.now() }))
    },
  })
  const client = createTRPCClient<AppRouter>({ links: [wsLink<AppRouter>({ client: socket })] })
  return {
    client,
    connection,
    dispose: () => {
      void socket.close()
    },
  }
}
