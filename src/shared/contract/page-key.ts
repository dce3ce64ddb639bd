/**
 * The page's second secret. A cookie is sent to every port of a name, also to another person's server on this machine; this one is kept
 * by the page's very origin (localStorage) and is wanted beside the cookie for everything but the page's own files.
 */
export const PAGE_KEY_NAME = 'speedgrid-key'
/** Of HTTP requests; the answer to the one-time link carries it too, for a window that attaches. */
export const PAGE_KEY_HEADER = 'x-speedgrid-key'
/** Of WebSockets: the first of two subprotocols. The second is the key, which a browser can send in no other way. */
export const PAGE_PROTOCOL = 'speedgrid'
