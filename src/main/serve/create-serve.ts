import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { EngineApi } from '../../shared/contract/api.ts'
import type { RouterContext } from '../../shared/contract/trpc.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import { cookieName, isOwnOrigin, readCookie, readKey, readTarget, readVisitor, type Visitor } from './access.ts'
import { answer, type Door } from './answer.ts'
import { refuse } from './send.ts'
import { createSessions } from './sessions.ts'
import { createSockets } from './sockets.ts'

export interface ServeOptions {
  api: EngineApi
  reportUnexpected: RouterContext['reportUnexpected']
  /** A free one where absent. */
  port?: number
  /** The built page. */
  rendererDir: string
  /** What happened, for people; never a token. */
  log?: (text: string) => void
  now?: () => number
}

export interface Serve {
  port: number
  /** http://127.0.0.1:PORT */
  address: string
  /** A new link with a token that is good once. */
  link: () => string
  /** Pages that are connected now. */
  readonly pages: number
  close: () => Promise<void>
}

/** The page's front door: the built renderer, downloads and the contract on loopback. Throws `conflict` where the port is taken. */
export async function createServe(options: ServeOptions): Promise<Serve> {
  const log = options.log ?? (() => undefined)
  const sessions = createSessions({ now: options.now ?? Date.now })
  const sockets = createSockets({ api: options.api, reportUnexpected: options.reportUnexpected })
  const hasSession = (request: IncomingMessage, visitor: Visitor) =>
    sessions.isOpen(readCookie(request.headers, cookieName(visitor)))
  const isOwn = (request: IncomingMessage, visitor: Visitor) =>
    sessions.isOwn(readCookie(request.headers, cookieName(visitor)), readKey(request.headers))

  const door: Door = { rendererDir: options.rendererDir, sessions, hasSession, isOwn, log }
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    answer(door, request, response).catch((error: unknown) => {
      const id = options.reportUnexpected(error, request.url?.split('?')[0])
      if (!response.headersSent) refuse(response, 500, 'Something unexpected went wrong.', [`It is in the log as ${id}.`])
      else response.destroy()
    })
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined)
    const visitor = readVisitor(request.headers)
    const status = upgradeStatus(request, visitor, isOwn)
    if (status === undefined) return sockets.accept(request, socket, head)
    if (status !== '401 Unauthorized') log(`Refused a WebSocket: ${status}.`)
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  })
  const port = await listen(server, options.port ?? 0)
  const address = `http://127.0.0.1:${String(port)}`
  return {
    port,
    address,
    link: () => `${address}/open?token=${sessions.mint()}`,
    get pages() {
      return sockets.count
    },
    async close() {
      sockets.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 500).unref()
      await closed
    },
  }
}

function upgradeStatus(request: IncomingMessage, visitor: Visitor | undefined, isOwn: Door['isOwn']): string | undefined {
  if (visitor === undefined) return '421 Misdirected Request'
  if (readTarget(request)?.pathname !== '/trpc') return '404 Not Found'
  if (!isOwnOrigin(request.headers, visitor)) return '403 Forbidden'
  return isOwn(request, visitor) ? undefined : '401 Unauthorized'
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return reject(error)
      const why = error.code === 'EACCES' ? 'may not be used by this account' : 'is in use'
      reject(
        new SpeedgridError('conflict', `Port ${String(port)} ${why}.`, {
          nextStep: 'Choose another with --port, or leave it out.',
        }),
      )
    })
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
