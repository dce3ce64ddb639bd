/** No figure, count or time of ours comes near it, and sums of such numbers stay exact enough. */
const MAX_NUMBER = 1e15
const MAX_TEXT_CHARS = 64 * 1024
/** The one long text: raw event times of an attempt, encoded (65,536 events are 1 MiB at most). */
const MAX_DATA_CHARS = 2 * 1024 * 1024
/** Cells of the largest plan there can be: 64 contexts × 64 concurrencies × 100 repeats. */
const MAX_ITEMS = 409_600
const MAX_KEYS = 1000
const MAX_DEPTH = 32

interface Excess {
  what: string
  /** From the inside out. */
  path: (string | number)[]
}

/** What is beyond anything that an honest program sends, as a sentence with its place; undefined where everything is within bounds. */
export function findExcess(value: unknown): string | undefined {
  const found = look(value, '', 0)
  if (found === undefined) return undefined
  const path = found.path.reverse().join('.').slice(0, 100)
  return `${path === '' ? 'it' : path} ${found.what}`
}

function look(value: unknown, key: string, depth: number): Excess | undefined {
  if (typeof value === 'number') return Math.abs(value) <= MAX_NUMBER ? undefined : excess('is no sane number')
  if (typeof value === 'string')
    return value.length <= (key === 'data' ? MAX_DATA_CHARS : MAX_TEXT_CHARS) ? undefined : excess('is too long a text')
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return excess('nests too deep')
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) return excess('has too many items')
    for (const [index, item] of value.entries()) {
      const found = look(item, '', depth + 1)
      if (found !== undefined) return within(found, index)
    }
    return undefined
  }
  const entries = Object.entries(value)
  if (entries.length > MAX_KEYS) return excess('has too many fields')
  for (const [name, item] of entries) {
    const found = look(item, name, depth + 1)
    if (found !== undefined) return within(found, name)
  }
  return undefined
}

function excess(what: string): Excess {
  return { what, path: [] }
}

function within(found: Excess, step: string | number): Excess {
  found.path.push(step)
  return found
}
