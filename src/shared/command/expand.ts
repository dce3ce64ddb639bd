import { REDACTED } from '../secrets/index.ts'
import { isHostVariable, keptReference } from './host-variables.ts'
import type { ShellToken, WordPart } from './words.ts'

export interface CommandWord {
  start: number
  end: number
  value: string
  /** One of several words that came out of one variable: it can't be changed in its place. */
  isShared: boolean
}

export interface Problem {
  cause: string
  nextStep: string
}

export interface Expander {
  set: (name: string, value: string) => void
  words: (token: ShellToken) => CommandWord[]
  used: ReadonlySet<string>
  notes: string[]
  problems: Problem[]
}

const REFERENCE =
  /\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)(?:(:?[-=+?])([^{}]*))?\}|\$\(\([\s\S]*|\$\([\s\S]*|`[\s\S]*|\$\{|\$[@*#?$!0-9]/g
export const ASSIGNMENT = /^([A-Za-z_]\w*)=([\s\S]*)$/

/** How what can't be worked out here is named, without what is in it. */
const OPEN: Record<string, string> = { '{': '${…}', '`': '`…`' }

/**
 * Puts in what the text itself says about its variables. The host's own are kept for the host, `given` ones (secrets that travel apart)
 * stand as `<redacted>`; all others, and whatever a shell would have to run, become a problem that names them.
 */
export function createExpander(given: readonly string[]): Expander {
  const values = new Map<string, string>()
  const used = new Set<string>()
  const notes: string[] = []
  const problems: Problem[] = []

  function valueOf(source: string, name: string, operator: string, other: string): string {
    const value = values.get(name)
    const isSet = value !== undefined && (value !== '' || !operator.startsWith(':'))
    if (operator.endsWith('+')) return isSet ? other : ''
    if (isSet) {
      used.add(name)
      return value
    }
    if (given.includes(name)) return REDACTED
    if (isHostVariable(name)) return keptReference(name)
    if (/[-=]$/.test(operator)) {
      notes.push(`${name} is not set in the text: what ${source} gives for that case was taken`)
      return expandText(other)
    }
    if (value !== undefined) return value
    problems.push({
      cause: `$${name} has no value in the text`,
      nextStep: `Set ${name} in front of the command, or write the value itself in its place.`,
    })
    return source
  }

  const expandText = (text: string): string =>
    text.replaceAll(REFERENCE, (source: string, plain?: string, braced?: string, operator = '', other = '') => {
      const name = plain ?? braced
      if (name !== undefined) return valueOf(source, name, operator, other)
      const command = /^\$\(\(?\s*[\w./-]*/.exec(source)?.[0]
      const shown = command === undefined ? (OPEN[source.charAt(source === '${' ? 1 : 0)] ?? source) : `${command} …)`
      problems.push({
        cause: `${shown} is something that a shell would have to work out`,
        nextStep: 'Run it on the host, and write what it gives in its place.',
      })
      return source
    })

  return {
    set: (name, value) => values.set(name, value),
    used,
    notes,
    problems,
    words({ start, end, parts }) {
      const isAssignment = /^[A-Za-z_]\w*=/.test(parts[0]?.text ?? '')
      const fields = ['']
      let isKept = false
      for (const part of parts) {
        const text = part.isLiteral ? part.text : expandText(part.text)
        const pieces = splits(part, text, isAssignment) ? text.split(/\s+/) : [text]
        fields[fields.length - 1] += pieces[0] ?? ''
        fields.push(...pieces.slice(1))
        isKept ||= !part.isBare || part.isLiteral
      }
      const kept = fields.length === 1 && (isKept || parts.length === 0) ? fields : fields.filter((field) => field !== '')
      return kept.map((value) => ({ start, end, value, isShared: kept.length > 1 }))
    },
  }
}

/** A shell takes apart what a variable without quotes holds. */
const splits = (part: WordPart, expanded: string, isAssignment: boolean) => part.isBare && !isAssignment && expanded !== part.text
