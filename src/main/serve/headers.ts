import type { Visitor } from './access.ts'

/** On every answer, whatever it is. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'x-frame-options': 'SAMEORIGIN',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
} as const

/**
 * The page's policy. Scripts: only our files. Style elements need the nonce (Mantine and the terminal make some); style attributes are
 * allowed, because a report's bars have them. Where the page may speak to: here.
 */
export function pagePolicy(visitor: Visitor, nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws://${visitor.host}`,
    "frame-src 'self' blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** Our own short notices. */
export const noticePolicy = (nonce: string) =>
  `default-src 'none'; style-src 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

/** The notice between the link and the page, whose one script keeps the key. */
export const openingPolicy = (nonce: string) => `${noticePolicy(nonce)}; script-src 'nonce-${nonce}'`
