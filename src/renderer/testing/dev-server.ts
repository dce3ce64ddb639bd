/** `node src/renderer/testing/dev-server.ts [--port 5199] [--scenario rich|empty|hostile] [--runs 60] [--done 84] [--every 250]` */
import { randomBytes } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { applyWSSHandler } from '@trpc/server/adapters/ws'
import { WebSocketServer } from 'ws'
import { appRouter } from '../../shared/contract/router.ts'
import { createFakeEngine, type FakeOptions } from './fake-api.ts'

const BUILT = resolve(import.meta.dirname, '../../../out/renderer')
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

const policy = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

function sendPage(response: ServerResponse, folder: string) {
  const nonce = randomBytes(16).toString('base64')
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replace('__CSP_NONCE__', nonce)
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(nonce),
    'cache-control': 'no-store',
  })
  response.end(page)
}

/** Serves the built renderer with a fake engine, under the content security policy it has to live with. */
export function startDevServer(options: FakeOptions & { port?: number /** Built renderer. */; folder?: string } = {}) {
  const folder = options.folder ?? BUILT
  const engine = createFakeEngine(options)
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const file = join(folder, path)
    if (path === '/' || path === '/index.html') sendPage(response, folder)
    else if (!file.startsWith(folder) || !existsSync(file)) response.writeHead(404).end()
    else {
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
      createReadStream(file).pipe(response)
    }
  })
  const sockets = new WebSocketServer({ server, path: '/trpc' })
  applyWSSHandler({ wss: sockets, router: appRouter, createContext: () => ({ api: engine.api, reportUnexpected }) })
  return new Promise<{ url: string; engine: typeof engine; dropConnections(): void; dispose(): Promise<void> }>((done) => {
    server.listen(options.port ?? 0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      done({
        url: `http://127.0.0.1:${String(port)}/`,
        engine,
        dropConnections: () => {
          for (const socket of sockets.clients) socket.terminate()
        },
        dispose: async () => {
          engine.dispose()
          for (const socket of sockets.clients) socket.terminate()
          sockets.close()
          await new Promise<void>((closed) => {
            server.close(() => {
              closed()
            })
          })
        },
      })
    })
  })
}

function reportUnexpected(error: unknown): string {
  console.error(error)
  return 'dev'
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '5199' },
      scenario: { type: 'string', default: 'rich' },
      runs: { type: 'string', default: '60' },
      done: { type: 'string', default: '84' },
      every: { type: 'string', default: '250' },
    },
  })
  const { url } = await startDevServer({
    port: Number(values.port),
    scenario: values.scenario as 'rich',
    runs: Number(values.runs),
    doneCells: Number(values.done),
    everyMs: Number(values.every),
  })
  console.log(`${url} (Ctrl+C ends it)`)
}
