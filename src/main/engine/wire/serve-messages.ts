import type { IncomingMessage } from 'node:http'
import { getWSConnectionHandler } from '@trpc/server/adapters/ws'
import { type FromEngine, fromShellSchema } from '../../../shared/contract/engine-process.ts'
import { createCallLimit } from '../../../shared/contract/call-limit.ts'
import { appRouter } from '../../../shared/contract/router.ts'
import type { RouterContext } from '../../../shared/contract/trpc.ts'
import { createMessageSocket, type MessageSocket } from './message-socket.ts'

export interface ServedMessages {
  /** Whatever came over the wire; what doesn't fit is dropped. */
  receive: (message: unknown) => void
  /** Closes every connection. */
  dispose: () => void
}

/** Serves the contract to any number of numbered connections over one wire (README.md, "The engine's process"). */
export function serveMessages(deps: {
  context: RouterContext
  post: (message: FromEngine) => void
  onShutdown: () => void
  onResumed: () => void
  onChosen: (path: string) => void
}): ServedMessages {
  const sockets = new Map<number, MessageSocket>()
  const serve = getWSConnectionHandler({
    router: appRouter,
    createContext: () => ({ ...deps.context, calls: createCallLimit() }),
  } as unknown as Parameters<typeof getWSConnectionHandler<typeof appRouter>>[0])
  // tRPC looks at the address for a flag that isn't used here.
  const request = { url: '/trpc', headers: { host: 'engine' } } as IncomingMessage

  function open(connection: number): void {
    sockets.get(connection)?.gone()
    const socket = createMessageSocket({
      post: (data) => deps.post({ connection, data }),
      onClose: () => {
        sockets.delete(connection)
        deps.post({ connection, close: true })
      },
    })
    sockets.set(connection, socket)
    serve(socket as unknown as Parameters<typeof serve>[0], request)
  }

  return {
    receive(message) {
      const parsed = fromShellSchema.safeParse(message)
      if (!parsed.success) return
      const said = parsed.data
      if ('kind' in said) {
        if (said.kind === 'shutdown') deps.onShutdown()
        else if (said.kind === 'resumed') deps.onResumed()
        else deps.onChosen(said.path)
      } else if ('open' in said) {
        open(said.connection)
      } else if ('data' in said) {
        sockets.get(said.connection)?.receive(said.data)
      } else {
        sockets.get(said.connection)?.gone()
        sockets.delete(said.connection)
      }
    },
    dispose() {
      for (const socket of Array.from(sockets.values())) socket.close()
    },
  }
}
