/**
 * The policy of the window's pages, as the page's front door has it (src/main/serve), but for `connect-src`: the engine is reached over the
 * bridge. Style elements need the nonce; style attributes are allowed, because a report's bars have them (its preview, a frame without an
 * address, inherits this policy). Of scripts, only our files.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}
