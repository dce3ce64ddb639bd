import http from 'node:http'
import https from 'node:https'
import { Socket } from 'node:net'
import { createRedactor } from '../../../shared/secrets/index.ts'
import type { ClientOptions } from './types.ts'

/** Servers close idle connections after 5 s (vLLM's default): ours close first, so that hardly a request meets a closing one. */
const IDLE_MS = 4000

/** fresh: a connection of its own, never one that was kept. */
export type Purpose = 'stream' | 'control' | 'fresh'

export interface Connections {
  /** For messages: the address as a person knows it. */
  readonly where: string
  /** Opens a request with the key in its header and no time-out: a queued request answers late. */
  open(method: string, path: string, headers: http.OutgoingHttpHeaders, purpose: Purpose): http.ClientRequest
  /** Takes the key out of a text of the server's. */
  redact(text: string): string
  dispose(): void
}

/** Two pools: requests that are measured never wait for, or share a connection with, scrapes and token counts. No proxy is ever used. */
export function createConnections({ baseUrl, socketPath, apiKey, portOwner }: ClientOptions): Connections {
  const url = new URL(baseUrl)
  const secure = url.protocol === 'https:'
  const agentOptions = {
    keepAlive: true,
    noDelay: true,
    maxSockets: Infinity,
    maxFreeSockets: 4096,
    timeout: IDLE_MS,
    scheduling: 'lifo' as const,
  }
  const makeAgent = (keepAlive = true): http.Agent => {
    const options = { ...agentOptions, keepAlive }
    const agent = secure ? new https.Agent(options) : new http.Agent(options)
    if (portOwner !== undefined) askFirst(agent, portOwner)
    return agent
  }
  const agents = { stream: makeAgent(), control: makeAgent(), fresh: makeAgent(false) }
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '')
  const shared: http.RequestOptions = {
    ...(socketPath === undefined ? { hostname, port: url.port === '' ? (secure ? 443 : 80) : Number(url.port) } : { socketPath }),
    setHost: false,
  }

  return {
    where: `the server at ${url.host}`,
    open(method, path, headers, purpose) {
      const options: https.RequestOptions = {
        ...shared,
        method,
        path: prefix + path,
        agent: agents[purpose],
        headers: { ...headers, host: url.host, ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
        ...(secure ? { servername: hostname } : {}),
      }
      return secure ? https.request(options) : http.request(options)
    },
    redact: createRedactor(apiKey === undefined ? [] : [apiKey]).text,
    dispose() {
      agents.stream.destroy()
      agents.control.destroy()
      agents.fresh.destroy()
    },
  }
}

/** A connection that must not be made fails as a refused one does, with the reason. */
function askFirst(agent: http.Agent, owner: NonNullable<ClientOptions['portOwner']>): void {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const problem = owner.problem()
    if (problem !== undefined) {
      setImmediate(() => callback?.(problem, new Socket()))
      return undefined
    }
    const socket = connect(options, callback)
    socket?.once('close', () => owner.doubt())
    return socket
  }
}

/** Whether the request's connection was ever up: tells a refused connection from one that was cut. */
export function watchConnect(request: http.ClientRequest): () => boolean {
  let connected = false
  request.on('socket', (socket) => {
    if (!socket.connecting) connected = true
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => (connected = true))
  })
  return () => connected
}
