import { REDACTED } from './redacted.ts'

/** Secrets that show by their own form. Each pattern begins with plain characters and repeats one class at most: linear on any input. */
const SHAPES: readonly RegExp[] = [
  /\bhf_[A-Za-z0-9]{6,}/g,
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{12,}|github_pat_\w{12,}|glpat-[\w-]{12,}|xox[abprs]-[\w-]{8,}|nvapi-[\w-]{12,}|dapi[a-f0-9]{30,})/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\bAIza[\w-]{30,}/g,
  /\beyJ[\w-]{8,4000}\.eyJ[\w-]{4,4000}(?:\.[\w-]{0,2000})?/g,
]
const SCHEME = /\b(bearer|basic)(\s{1,8})([^\s"'`,;<>\\]{1,8192})/gi
const SCHEME_WORDS = /^(?:tokens?|auth(?:entication|orization)?|scheme|header|realm=|key|credentials?|is|was|and|or|in|to|for)\b/i
const PEM = '-----BEGIN '

export function redactShapes(text: string): string {
  let done = redactPem(text)
  for (const shape of SHAPES) done = done.replace(shape, REDACTED)
  return done.replace(SCHEME, (all, scheme: string, gap: string, value: string) => {
    if (SCHEME_WORDS.test(value)) return all
    // "Basic" is an ordinary word: what stands behind it must look like base64.
    const isPlain =
      scheme.toLowerCase() === 'basic' &&
      !(value.length >= 8 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) && /[0-9=]|[a-z][A-Z]/.test(value))
    return isPlain ? all : `${scheme}${gap}${REDACTED}`
  })
}

/** A private key, whole or cut off. */
function redactPem(text: string): string {
  let out = ''
  let from = 0
  for (;;) {
    const begin = text.indexOf(PEM, from)
    if (begin < 0) return out + text.slice(from)
    const head = /^-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/.exec(text.slice(begin, begin + 80))?.[0]
    if (head === undefined) {
      out += text.slice(from, begin + PEM.length)
      from = begin + PEM.length
      continue
    }
    const foot = text.indexOf('-----END ', begin + head.length)
    const footEnd = foot < 0 ? -1 : text.indexOf('-----', foot + 9)
    out += text.slice(from, begin) + head + REDACTED
    from = foot < 0 || footEnd < 0 ? text.length : foot
  }
}
