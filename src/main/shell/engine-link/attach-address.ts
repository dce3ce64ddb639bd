/** Where an engine that somebody else runs is, from the link that `speedgrid serve` printed. */
export interface AttachAddress {
  /** The link itself, with its one-time token. */
  link: string
  origin: string
  socket: string
  /** For people: without the token. */
  label: string
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Plain HTTP only to this machine (an `ssh -L` ends here too); undefined for what is no address of an engine. */
export function readAttachAddress(text: string): AttachAddress | undefined {
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    return undefined
  }
  const isPlain = url.protocol === 'http:' && LOOPBACK.test(url.hostname)
  if ((!isPlain && url.protocol !== 'https:') || url.username !== '' || url.password !== '') return undefined
  return {
    link: url.href,
    origin: url.origin,
    socket: `${url.protocol === 'https:' ? 'wss' : 'ws'}://${url.host}/trpc`,
    label: url.host,
  }
}
