/** One place of a pattern: texts that fit it, and whether it may repeat. */
interface Part {
  texts: string[]
  repeats: boolean
}

/** What a hostile text may consist of, whatever the pattern. */
const COMMON = [
  ' ',
  '0',
  'a',
  'A',
  '_',
  '-',
  '.',
  ',',
  ':',
  ';',
  '/',
  '\\',
  '"',
  "'",
  '\\"',
  '[',
  '(',
  '{',
  '<',
  '@',
  '=',
  '%',
  '#',
  '*',
  '`',
  '|',
].concat([
  '\n',
  '\r',
  '\t',
  ' \n',
  'a ',
  '0 ',
  'a.',
  'a=',
  'a:',
  '0.',
  '0,',
  'a/',
  'a@',
  '://',
  '--',
  '\u001b[',
  '\u001b]',
  '█',
  'é',
  '\u{1f642}',
])

/** Units whose repetition may make the pattern slow: parts of texts that it nearly matches. `before` comes once, `after` ends it badly. */
export interface WorstInput {
  before: string
  unit: string
  after: string
}

export function worstInputs(source: string): WorstInput[] {
  const parts = readParts(source)
  const inputs: WorstInput[] = []
  const add = (before: string, unit: string) => {
    if (unit === '') return
    for (const after of ['', '\u0001', '\n']) inputs.push({ before, unit, after })
  }
  for (const unit of COMMON) add('', unit)
  for (const pick of [0, 1, 2]) {
    let prefix = ''
    for (const part of parts) {
      const text = part.texts[pick % part.texts.length] ?? ''
      for (const each of part.texts.slice(0, 4)) {
        add(prefix, each)
        add('', prefix + each)
        if (part.repeats) add('', prefix + each.repeat(20))
        if (part.repeats) for (const common of [' ', 'a', '0', '.']) add(prefix + each, common)
      }
      prefix = (prefix + text).slice(0, 400)
      add('', prefix)
      add(prefix, prefix)
    }
  }
  const seen = new Set<string>()
  return inputs.filter(({ before, unit, after }) => {
    const key = JSON.stringify([before, unit, after])
    return !seen.has(key) && seen.add(key)
  })
}

export function inputOf({ before, unit, after }: WorstInput, length: number): string {
  return before + unit.repeat(Math.max(1, Math.ceil(length / unit.length))).slice(0, Math.max(unit.length, length)) + after
}

/** The pattern flattened: what stands in groups and branches comes one after another. Good enough to guess what nearly fits. */
function readParts(source: string): Part[] {
  const parts: Part[] = []
  let at = 0
  const repeats = () => {
    const quantifier =
      /^(?:[*+]|\{\d+,\d*\})\??/.exec(source.slice(at))?.[0] ?? /^(?:\?|\{\d+\})\??/.exec(source.slice(at))?.[0] ?? ''
    at += quantifier.length
    return /^(?:[*+]|\{\d+,)/.test(quantifier)
  }
  while (at < source.length) {
    const rest = source.slice(at)
    const group = /^\((?:\?(?:[:=!]|<[=!]|<\w+>|[ims-]+:))?/.exec(rest)?.[0]
    if (group !== undefined) {
      at += group.length
    } else if (rest.startsWith(')')) {
      at += 1
      if (repeats()) parts.push({ texts: parts.at(-1)?.texts ?? [' '], repeats: true })
    } else if (/^[|^$]/.test(rest)) {
      at += 1
    } else if (rest.startsWith('[')) {
      const set = /^\[(?:\\.|[^\]\\])*\]/.exec(rest)?.[0] ?? rest
      at += set.length
      parts.push({ texts: membersOf(set), repeats: repeats() })
    } else {
      const atom =
        /^\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|k<\w+>|c[A-Z]|.)|^./su.exec(rest)?.[0] ??
        rest.charAt(0)
      at += atom.length
      if (atom !== '\\b' && atom !== '\\B')
        parts.push({ texts: atom === '.' ? ['x', ' '] : membersOf(`[${atom}]`), repeats: repeats() })
    }
  }
  return parts
}

const CANDIDATES = Array.from('aA0 _-./:,;=@%"\'<>()[]{}|#*+?!&^$~`\\\n\t\r\u0000\u0007\u001b\u009b█é🙂zZ9fF').concat(
  Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code)),
)

function membersOf(set: string): string[] {
  for (const flags of ['', 'u', 'v']) {
    try {
      const fits = new RegExp(`^${set}$`, flags)
      const members = [...new Set(CANDIDATES.filter((text) => fits.test(text)))]
      if (members.length > 0) return [...members.slice(0, 3), members.at(-1) ?? ' ']
    } catch {
      // another flag then
    }
  }
  return [' ']
}
