import { REDACTED } from './redacted.ts'

/** Shorter ones would turn ordinary text into holes. */
const SHORTEST = 4
/** Up to here a value must stand by itself: it may be part of an ordinary word. */
const SHORT = 7
/** So much of a value's base64 must be there to be known again. */
const SHORTEST_BASE64 = 8

/** Takes values that are known to be secret out of any text, also in the forms that programs write them in. */
export function createValueHider(values: Iterable<string>): (text: string) => string {
  const plain = new Set<string>()
  const encoded = new Set<string>()
  for (const value of values) {
    const trimmed = value.trim()
    if (trimmed.length < SHORTEST || trimmed === REDACTED) continue
    for (const form of formsOf(value.length - trimmed.length > 0 ? trimmed : value)) plain.add(form)
    if (value !== trimmed) plain.add(value)
    for (const core of base64Cores(trimmed)) encoded.add(core)
  }
  const byLength = [...plain].sort((a, b) => b.length - a.length)
  return (text) => {
    let done = text
    for (const form of byLength) if (done.includes(form)) done = hideAll(done, form, form.length <= SHORT ? /\w/ : undefined)
    for (const core of encoded) if (done.includes(core)) done = hideAll(done, core, undefined, /[A-Za-z0-9+/=_-]/)
    return done
  }
}

/** As JSON, a shell, an address, HTML and a hexadecimal dump write it. */
function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const url = encodeURIComponent(value.toWellFormed())
  const strict = url.replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll('/', '\\/'),
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", `'"'"'`),
    value.replaceAll("'", "\\'"),
    value.replace(/[^\w@%+=:,./-]/g, '\\$&'),
    value.replace(/["\\$`]/g, '\\$&'),
    url,
    url.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
    strict,
    url.replaceAll('%20', '+'),
    strict.replaceAll('%20', '+'),
    encodeURI(value.toWellFormed()),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ]
  const hex = [...new TextEncoder().encode(value)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (value.length > 5) forms.push(hex, hex.toUpperCase())
  return [...new Set(forms)]
}

/** The part of a value's base64 that is the same whatever stands around the value, at each of the three places it can begin at. */
function base64Cores(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const cores: string[] = []
  for (let shift = 0; shift < 3; shift += 1) {
    const binary = '\0'.repeat(shift) + String.fromCharCode(...bytes.slice(0, 8192))
    const whole = Math.floor(binary.length / 3) * 4
    const core = btoa(binary).slice(shift === 0 ? 0 : shift + 1, whole)
    if (core.length >= SHORTEST_BASE64) cores.push(core, core.replaceAll('+', '-').replaceAll('/', '_'))
    // A short one by itself: all of it is known.
    else if (shift === 0 && bytes.length >= SHORTEST) cores.push(btoa(binary).replace(/(?<!=)=+$/, ''))
  }
  return [...new Set(cores)]
}

/** `apart`: what may not touch it. `around`: what goes with it. */
function hideAll(text: string, form: string, apart?: RegExp, around?: RegExp): string {
  let out = ''
  let from = 0
  let search = 0
  for (;;) {
    const at = text.indexOf(form, search)
    if (at < 0) return out + text.slice(from)
    let start = at
    let end = at + form.length
    search = end
    if (apart !== undefined && (apart.test(text.charAt(start - 1)) || apart.test(text.charAt(end)))) continue
    if (around !== undefined) {
      while (start > from && around.test(text.charAt(start - 1))) start -= 1
      while (end < text.length && around.test(text.charAt(end))) end += 1
    }
    out += text.slice(from, start) + REDACTED
    from = end
    search = end
  }
}
