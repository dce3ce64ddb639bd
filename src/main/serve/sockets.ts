import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { getWSConnectionHandler } from '@trpc/server/adapters/ws'
import { WebSocket, WebSocketServer } from 'ws'
import { createCallLimit } from '../../shared/contract/call-limit.ts'
import { PAGE_PROTOCOL } from '../../shared/contract/page-key.ts'
import { createMessageSocket, type MessageSocket } from '../engine/index.ts'
import { appRouter } from '../../shared/contract/router.ts'
import type { RouterContext } from '../../shared/contract/trpc.ts'

const MOST_SOCKETS = 64
/** Characters are counted (and calls) where the message is taken (engine/wire); none of that many has more bytes. */
const MOST_BYTES = 16 * 1024 * 1024
/** Until this much is on its way, the next message of a subscription waits (and is folded with what comes). */
const DRAIN_BYTES = 256 * 1024
/** A reader that takes nothing any more. */
const GIVE_UP_BYTES = 64 * 1024 * 1024
const DRAIN_LOOK_MS = 25

interface Sockets {
  /** Takes over an upgrade that has been let in. */
  accept: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  readonly count: number
  close: () => void
}

/** The contract over WebSockets, one for each page. */
export function createSockets(context: RouterContext): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_BYTES,
    perMessageDeflate: false,
    // The other subprotocol is the key, which has done its work.
    handleProtocols: () => PAGE_PROTOCOL,
  })
  const carriers = new WeakMap<MessageSocket, WebSocket>()
  const serve = getWSConnectionHandler({
    router: appRouter,
    createContext: ({ res }: { res: unknown }) => ({
      ...context,
      calls: createCallLimit(),
      drained: () => drained(carriers.get(res as MessageSocket)),
    }),
    keepAlive: { enabled: true, pingMs: 30_000, pongWaitMs: 20_000 },
  } as unknown as Parameters<typeof getWSConnectionHandler<typeof appRouter>>[0])
  server.on('connection', (carrier, request) => {
    const socket = createMessageSocket({ post: (text) => carrier.send(text), onClose: () => carrier.close(1008) })
    carriers.set(socket, carrier)
    carrier.on('error', () => undefined)
    carrier.on('close', () => socket.gone())
    carrier.on('message', (data, isBinary) => {
      if (isBinary) socket.close()
      else socket.receive((data as Buffer).toString())
    })
    serve(socket as unknown as Parameters<typeof serve>[0], request)
  })

  return {
    accept(request, socket, head) {
      if (server.clients.size >= MOST_SOCKETS) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
        return
      }
      server.handleUpgrade(request, socket, head, (accepted) => server.emit('connection', accepted, request))
    },
    get count() {
      return server.clients.size
    },
    close() {
      for (const client of server.clients) {
        // "Going away": pages show that the engine is gone and try again.
        client.close(1001)
        setTimeout(() => client.terminate(), 500).unref()
      }
      server.close()
    },
  }
}

async function drained(socket: WebSocket | undefined): Promise<void> {
  // Always one turn of the event loop: a source that never waits would keep the socket's own end from being noticed, for good.
  await turn()
  while (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount > DRAIN_BYTES) {
    if (socket.bufferedAmount > GIVE_UP_BYTES) socket.terminate()
    await delay(DRAIN_LOOK_MS)
  }
}
