import { request } from 'node:http'
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { WebSocket } from 'ws'
import type { AppRouter } from '../../shared/contract/router.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** One request exactly as written: no client tidies the path or the headers. */
export function visit(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { host: `127.0.0.1:${String(port)}`, ...options.headers }
    const asked = request(
      { host: '127.0.0.1', port, path, method: options.method ?? 'GET', headers, setHost: false },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }),
        )
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

/** What a link was exchanged for, as headers of what follows. */
export interface Entered {
  cookie: string
  key: string
  /** Of a WebSocket. */
  both: { cookie: string; 'sec-websocket-protocol': string }
  /** Of a request. */
  headers: { cookie: string; 'x-speedgrid-key': string }
}

/** Uses up a link. */
export async function enter(port: number, link: string, host = `127.0.0.1:${String(port)}`): Promise<Entered> {
  const { status, headers } = await visit(port, new URL(link).pathname + new URL(link).search, { headers: { host } })
  const [cookie] = headers['set-cookie'] ?? []
  const key = headers['x-speedgrid-key']
  if (status !== 200 || cookie === undefined || typeof key !== 'string') throw new Error(`not let in: ${String(status)}`)
  const bare = cookie.split(';')[0] ?? ''
  return {
    cookie: bare,
    key,
    both: { cookie: bare, 'sec-websocket-protocol': `speedgrid, ${key}` },
    headers: { cookie: bare, 'x-speedgrid-key': key },
  }
}

/** How the server answers a WebSocket: open, or the HTTP status it was refused with. */
export function knock(port: number, headers: Record<string, string>, path = '/trpc'): Promise<number | 'open'> {
  return new Promise((resolve, reject) => {
    const { 'sec-websocket-protocol': protocols, ...others } = headers
    const offered = protocols === undefined ? [] : protocols.split(', ')
    const socket = new WebSocket(`ws://127.0.0.1:${String(port)}${path}`, offered, { headers: others })
    socket.on('open', () => {
      socket.close()
      resolve('open')
    })
    socket.on('unexpected-response', (_request, answer) => {
      resolve(answer.statusCode ?? 0)
      socket.terminate()
    })
    socket.on('error', (error) => {
      if (!error.message.includes('closed before')) reject(error)
    })
  })
}

/** A page: the contract's client over a real WebSocket. */
export function openPage(port: number, { cookie, key }: Entered) {
  const origin = `http://127.0.0.1:${String(port)}`
  class Socket extends WebSocket {
    constructor(url: string) {
      super(url, ['speedgrid', key], { headers: { cookie, origin } })
      this.on('error', () => undefined)
    }
  }
  const states: string[] = []
  const ws = createWSClient({
    url: `ws://127.0.0.1:${String(port)}/trpc`,
    WebSocket: Socket as unknown as typeof globalThis.WebSocket,
    onOpen: () => states.push('open'),
    onClose: () => states.push('close'),
    retryDelayMs: () => 50,
  })
  const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: ws })] })
  return { client, states, close: () => ws.close() }
}
