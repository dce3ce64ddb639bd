import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { protocol, type Session } from 'electron'
import { APP_SCHEME } from '../bridge/sender.ts'
import { pagePolicy } from './content-security.ts'
import { mediaTypeOf, type PageRoot, resolvePage } from './resolve-path.ts'

/** Has to be called before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

/** Serves the built pages from their folders, with the headers that say what they may do. */
export function serveAppPages(session: Session, folders: Record<PageRoot, string>): void {
  session.protocol.handle(APP_SCHEME, async (request) => {
    if (request.method !== 'GET') return notFound()
    const file = resolvePage(request.url, folders)
    const mediaType = file === undefined ? undefined : mediaTypeOf(file)
    if (file === undefined || mediaType === undefined) return notFound()
    const content = await readFile(file).catch(() => undefined)
    if (content === undefined) return notFound()
    if (mediaType !== HTML) return respond(content, mediaType, "default-src 'none'")
    const nonce = randomBytes(16).toString('base64')
    return respond(content.toString('utf8').replaceAll('__CSP_NONCE__', nonce), HTML, pagePolicy(nonce))
  })
}

const HTML = 'text/html; charset=utf-8'
const notFound = () => respond('There is nothing here.', 'text/plain; charset=utf-8', "default-src 'none'", 404)

function respond(body: string | Buffer, mediaType: string, policy: string, status = 200): Response {
  const headers = {
    'content-type': mediaType,
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  }
  return new Response(body, { status, headers })
}
