import { REDACTED } from './redacted.ts'

const SCHEME = /[a-z][a-z0-9+.-]{0,30}$/i
/** What ends an address in a text. In a word that is nothing but an address, nothing does. */
// oxlint-disable-next-line no-control-regex -- control characters end an address
const END = /[\s"'`<>\\\u0000-\u001f]/
/** Where a number behind the host is a port: `http://host:8000/file@v1` names no account, `s3://ID:1/x@bucket` does. */
const HAS_PORTS = /^(?:https?|wss?|grpcs?|tcp|udp|ssh)$/i

/** Accounts in addresses (`scheme://user:password@host`) as `<redacted>@`; passwords may hold `@`, `/`, `?` and `#`. */
export function redactAddresses(text: string, isOneAddress = false): string {
  let out = ''
  let from = 0
  let end = -1
  let lastAt = -1
  for (;;) {
    const colon = text.indexOf('://', from)
    if (colon < 0) return out + text.slice(from)
    const start = colon + 3
    if (start > end) {
      end = isOneAddress ? text.length : endOf(text, start)
      lastAt = start + text.slice(start, end).lastIndexOf('@')
    }
    const scheme = SCHEME.exec(text.slice(Math.max(0, colon - 32), colon))?.[0] ?? ''
    const account = scheme === '' || lastAt < start ? 0 : accountLength(text.slice(start, end), scheme)
    out += text.slice(from, start) + (account > 0 ? `${REDACTED}@` : '')
    from = start + account
  }
}

function endOf(text: string, start: number): number {
  let at = start
  while (at < text.length && !END.test(text.charAt(at))) at += 1
  return at
}

/** How many characters of what follows `://` are an account, with its `@`; 0 for none. */
function accountLength(rest: string, scheme: string): number {
  if (rest.startsWith(`${REDACTED}@`)) return 0
  const slash = rest.search(/[/?#]/)
  const authority = slash < 0 ? rest : rest.slice(0, slash)
  const hasAccount = authority.includes('@')
  const colon = authority.indexOf(':', authority.startsWith('[') ? authority.indexOf(']') : 0)
  const isPort = colon >= 0 && /^\d{0,5}$/.test(authority.slice(colon + 1)) && HAS_PORTS.test(scheme)
  if (!hasAccount && (colon < 0 || isPort)) return 0
  if (hasAccount && colon < 0) return authority.lastIndexOf('@') + 1
  const query = rest.search(/[?#]/)
  const before = (query < 0 ? rest : rest.slice(0, query)).lastIndexOf('@')
  return (before >= 0 ? before : rest.lastIndexOf('@')) + 1
}
