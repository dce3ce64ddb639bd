/** The nonce that whoever serves the page put into <meta name="csp-nonce">; undefined where it was not filled in. */
export function readNonce(page: Document): string | undefined {
  const content = page.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  return content === undefined || content === '' || content === '__CSP_NONCE__' ? undefined : content
}
