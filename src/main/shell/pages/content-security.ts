/**
 * The policy of the window's pages, as the page's front door has it (src/main/serve), but for `connect-src`: the engine is reached over the
 * bridge. Style elements need the nonce; style attributes are allowed, because a report's bars have them. Of scripts, only our files.
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
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** A report brings its styles in itself and has no script; it may be shown inside a page of ours. */
export const REPORT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox"
