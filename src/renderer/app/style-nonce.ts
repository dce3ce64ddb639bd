// oxlint-disable no-underscore-dangle -- the name is theirs
declare global {
  // The name under which libraries that add <style> elements (here: the scroll lock behind dialogs) look for a nonce.
  var __webpack_nonce__: string | undefined
}

/** The nonce that whoever serves the page put into <meta name="csp-nonce">; undefined where it was not filled in. */
export function readNonce(page: Document): string | undefined {
  const content = page.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  return content === undefined || content === '' || content === '__CSP_NONCE__' ? undefined : content
}

/** Gives the nonce to libraries that don't take it as an option. */
export function offerNonce(nonce: string | undefined) {
  globalThis.__webpack_nonce__ = nonce
}
