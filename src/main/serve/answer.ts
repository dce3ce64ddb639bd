import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PAGE_KEY_HEADER, PAGE_KEY_NAME } from '../../shared/contract/page-key.ts'
import { isFromElsewhere, isOwnOrigin, readTarget, readVisitor, sessionCookie, type Visitor } from './access.ts'
import { openingPolicy, pagePolicy } from './headers.ts'
import { noticePage } from './notice.ts'
import { refuse, send } from './send.ts'
import type { Sessions } from './sessions.ts'
import { readPage, readStatic } from './static-files.ts'

/** What answering needs to know. */
export interface Door {
  rendererDir: string
  sessions: Sessions
  /** It has our cookie, and so may have the page's files. */
  hasSession: (request: IncomingMessage, visitor: Visitor) => boolean
  /** It has the key of the page's origin besides. */
  isOwn: (request: IncomingMessage, visitor: Visitor) => boolean
  log: (text: string) => void
}

/** One HTTP request: who asks comes first, then what for. */
export async function answer(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume()
  const visitor = readVisitor(request.headers)
  if (visitor === undefined) {
    door.log('Refused a request for another host name (DNS rebinding, or a proxy).')
    return refuse(response, 421, 'This is not the address of that host.', ['Open http://127.0.0.1 with the port of the link.'])
  }
  const method = request.method ?? 'GET'
  if (method !== 'GET' && method !== 'HEAD') {
    if (!isOwnOrigin(request.headers, visitor)) return refuse(response, 403, 'Not from another page.', [])
    response.setHeader('allow', 'GET, HEAD')
    return refuse(response, 405, 'There is nothing to send here.', [])
  }
  const target = readTarget(request)
  if (target === undefined) return refuse(response, 400, 'That is no address.', [])
  if (target.pathname === '/open') return openSession(door, request, response, target, visitor)
  if (!door.hasSession(request, visitor)) return refuse(response, 401, 'This page opens with its link only.', LINK_HELP)
  if (isFromElsewhere(request.headers) && request.headers['sec-fetch-mode'] !== 'navigate') {
    return refuse(response, 403, 'Not from another page.', [])
  }
  await answerKnown(door, request, response, target, visitor)
}

const LINK_HELP = [
  'Use the link that `speedgrid serve` printed: it is good once, for one browser.',
  'For another one, on the machine where it runs: `speedgrid serve --open`',
]

async function answerKnown(
  door: Door,
  request: IncomingMessage,
  response: ServerResponse,
  target: URL,
  visitor: Visitor,
): Promise<void> {
  const { pathname } = target
  if (pathname === '/session') {
    if (!door.isOwn(request, visitor)) return refuse(response, 401, 'This page opens with its link only.', LINK_HELP)
    return send(response, 204, { 'cache-control': 'no-store' }, '')
  }
  if (pathname === '/' || pathname === '/index.html') {
    const nonce = randomBytes(16).toString('base64')
    const page = await readPage(door.rendererDir, nonce)
    if (page === undefined) return refuse(response, 503, 'The page is not built.', ['In a checkout: `npm run build`'])
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
    return send(response, 200, { ...headers, 'content-security-policy': pagePolicy(visitor, nonce) }, page)
  }
  const file = await readStatic(door.rendererDir, pathname)
  if (file === undefined) return refuse(response, 404, 'There is nothing here.', [])
  const cache = file.immutable ? 'private, max-age=31536000, immutable' : 'no-cache'
  send(
    response,
    200,
    { 'content-type': file.mediaType, 'cache-control': cache, 'content-security-policy': "default-src 'none'" },
    file.data,
  )
}

/** The link's token for cookie and key. Answered with a page that goes on by itself: a redirect would get no strict cookie sent, and could keep no key. */
function openSession(door: Door, request: IncomingMessage, response: ServerResponse, target: URL, visitor: Visitor): void {
  const purpose = `${String(request.headers['sec-purpose'] ?? '')}${String(request.headers.purpose ?? '')}`
  // A browser that looks ahead must not use up the token.
  if (request.method !== 'GET' || /prefetch|prerender|preview/i.test(purpose)) return refuse(response, 403, 'Not yet.', [])
  const exchanged = door.sessions.exchange(target.searchParams.get('token') ?? '')
  if (exchanged === 'wait') {
    response.setHeader('retry-after', '60')
    return refuse(response, 429, 'Too many wrong links.', LINK_HELP)
  }
  if (exchanged === 'used') {
    // Opened a second time in the browser that has used it: just go on.
    if (door.hasSession(request, visitor)) return goOn(response)
    door.log('Refused a link that was used already, or is wrong.')
    return refuse(response, 403, 'This link was used already.', LINK_HELP)
  }
  response.setHeader('set-cookie', sessionCookie(visitor, exchanged.session))
  door.log('A browser was let in.')
  response.setHeader(PAGE_KEY_HEADER, exchanged.key)
  goOn(response, exchanged.key)
}

/** On to the page; the key, where there is a new one, is kept by its origin first. */
function goOn(response: ServerResponse, key?: string): void {
  const nonce = randomBytes(16).toString('base64')
  const keep = key === undefined ? '' : `localStorage.setItem(${JSON.stringify(PAGE_KEY_NAME)}, ${JSON.stringify(key)});`
  const page = noticePage({ title: 'Speedgrid opens …', paragraphs: [], nonce, script: `${keep}location.replace('/')` })
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  send(response, 200, { ...headers, 'content-security-policy': openingPolicy(nonce) }, page)
}
