import { redactAddresses } from './addresses.ts'
import { redactAssignments, redactFlags } from './assignments.ts'
import { createValueHider } from './known-values.ts'
import { isPlainValue, secretGrade } from './names.ts'
import { REDACTED } from './redacted.ts'
import { redactShapes } from './shapes.ts'

/** Secrets that show by their form or by the name in front of them, in any text (log lines, messages, JSON). */
export function redactText(text: string): string {
  return redactShapes(redactFlags(redactAssignments(redactAddresses(text))))
}

export interface Redactor {
  /** Any text: what is known to be secret first, then what looks like one. */
  text: (text: string) => string
  /** Every text in a value of JSON, and what stands behind a secret's name. The value itself stays as it is. */
  value: <T>(value: T) => T
}

/** Fields whose texts are words of ours, checked by a schema: a secret that happens to be one of them must not break it. */
const OWN_WORDS = new Set([
  'kind',
  'status',
  'state',
  'phase',
  'level',
  'code',
  'verdict',
  'place',
  'channel',
  'encoding',
  'flag',
  'cutBy',
  'schema',
  'sha256',
])

export function createRedactor(values: Iterable<string> = []): Redactor {
  const hideKnown = createValueHider(values)
  const text = (it: string) => redactText(hideKnown(it))
  return { text, value: (value) => deep(value, text, 0) }
}

/** Deeper than anything of ours is; what a foreign server nests further is left out by whoever reads it. */
const DEEPEST = 64

function deep<T>(value: T, text: (it: string) => string, depth: number): T
function deep(value: unknown, text: (it: string) => string, depth: number): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  return mapped(value, (one, name) =>
    typeof one === 'string' && name !== undefined && OWN_WORDS.has(name)
      ? one
      : name === undefined || secretGrade(name) === undefined
        ? deep(one, text, depth + 1)
        : hidden(one, depth + 1),
  )
}

/** The same object where nothing of it changes: a cell's record holds long lists of numbers. */
function mapped(value: object, change: (one: unknown, name?: string) => unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one: unknown) => change(one))
    return list.some((one, at) => one !== value[at]) ? list : value
  }
  const entries = Object.entries(value).map(([name, one]: [string, unknown]) => [name, one, change(one, name)] as const)
  return entries.some(([, before, after]) => before !== after)
    ? Object.fromEntries(entries.map(([name, , after]) => [name, after]))
    : value
}

/** All texts behind a secret's name, nested ones too. */
function hidden(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return isPlainValue(value) ? value : REDACTED
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  return mapped(value, (one) => hidden(one, depth + 1))
}
