import { matchesPatternList } from './patterns.ts'

interface MatchContext {
  /** After HostName has been applied, as far as it has been read. */
  host: string
  originalHost: string
  user: string
  localUser: string
}

/** Criteria of a Match line. One that we don't support makes the whole block not match, with a note that says so. */
export function matchCriteria(words: readonly string[], context: MatchContext): { matches: boolean; note?: string } {
  let matches = true
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const negated = word.startsWith('!')
    const name = (negated ? word.slice(1) : word).toLowerCase()
    if (name === 'all') {
      if (negated) matches = false
      continue
    }
    const subject = subjectOf(name, context)
    if (subject === undefined) {
      return { matches: false, note: `“Match ${words.join(' ')}” is not followed: ${name} is not supported.` }
    }
    const patterns = (words[++at] ?? '').split(',')
    if (matchesPatternList(subject, name === 'host' ? patterns.map((p) => p.toLowerCase()) : patterns) === negated)
      matches = false
  }
  return { matches }
}

function subjectOf(name: string, context: MatchContext): string | undefined {
  if (name === 'host') return context.host
  if (name === 'originalhost') return context.originalHost
  if (name === 'user') return context.user
  if (name === 'localuser') return context.localUser
  return undefined
}
