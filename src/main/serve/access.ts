import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { PAGE_KEY_HEADER, PAGE_PROTOCOL } from '../../shared/contract/page-key.ts'

/** Names of this machine alone; any port, because `ssh -L` gives the page another one than we listen at. */
const OURS = /^(127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?$/i

export interface Visitor {
  /** The Host header as it came: name and port as the browser sees them. */
  host: string
  port: number
}

/** Who a request is for; undefined where the Host header names another machine (DNS rebinding) or is missing. */
export function readVisitor(headers: IncomingHttpHeaders): Visitor | undefined {
  const { host } = headers
  const match = host === undefined ? null : OURS.exec(host)
  if (host === undefined || match === null) return undefined
  const port = match[2] === undefined ? 80 : Number(match[2])
  return port >= 1 && port <= 65_535 ? { host: host.toLowerCase(), port } : undefined
}

/** True where the request was made by a page of ours: scheme, name and port are those the browser reached us under. */
export function isOwnOrigin(headers: IncomingHttpHeaders, { host, port }: Visitor): boolean {
  const { origin } = headers
  if (origin === undefined) return false
  const bare = port === 80 ? host.replace(/:80$/, '') : host
  return origin.toLowerCase() === `http://${bare}`
}

/**
 * What a browser says about where a request comes from (absent: an old browser or no browser). Another port of this machine is
 * `same-site` and gets our cookie sent along, so that only our very origin, and addresses that the person typed, pass.
 */
export function isFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** Cookies are shared by all ports of a name: ours carries the port that the browser sees. */
export const cookieName = ({ port }: Visitor) => `speedgrid-${String(port)}`

export function readCookie(headers: IncomingHttpHeaders, name: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const equals = part.indexOf('=')
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return undefined
}

/** The key of the page's origin: a header of a request, or the second subprotocol of a WebSocket. */
export function readKey(headers: IncomingHttpHeaders): string | undefined {
  const header = headers[PAGE_KEY_HEADER]
  if (typeof header === 'string') return header
  const [protocol, key] = (headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim())
  return protocol === PAGE_PROTOCOL ? key : undefined
}

export function sessionCookie(visitor: Visitor, value: string): string {
  return `${cookieName(visitor)}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800`
}

/** The path is taken as it came: `new URL` alone would fold `/../` away before anybody has looked. */
export function readTarget(request: IncomingMessage): URL | undefined {
  const url = request.url ?? ''
  if (!url.startsWith('/') || /\/\.{1,2}(\/|\?|$)/.test(url)) return undefined
  return URL.parse(`http://127.0.0.1${url}`) ?? undefined
}
