import { badValue, parseConcurrency, parseContexts, parseNumber, parseTokens } from './lists.ts'
import { nearest } from '../nearest.ts'
import type { PlanField } from './plan-fields.ts'
import { readPromptsFile } from './prompts-file.ts'

/**
 * What was said for a field (text of an option, value of a plan file) → the plan's value. Limits are checked later by the plan's
 * schema. `name` says where it came from, `locate` makes a file name absolute.
 */
export function toPlanValue(field: PlanField, value: unknown, name: string, locate: (file: string) => string): unknown {
  switch (field.kind) {
    case 'contexts':
      // Prefill contexts have a default, so there is a word for leaving them out.
      if (value === 'none' && field.field === 'prefillContexts') return []
      return listOf(value, (text) => parseContexts(text, name))
    case 'concurrency':
      return listOf(value, (text) => parseConcurrency(text, name))
    case 'tokens':
      return typeof value === 'string' ? parseTokens(value, name) : value
    case 'number':
      return typeof value === 'string' ? parseNumber(value, name) : value
    case 'choice':
      return choiceOf(field, value, name)
    case 'prompts':
      return typeof value === 'string' ? readPromptsFile(locate(value)) : value
    default:
      return value
  }
}

function listOf(value: unknown, parse: (text: string) => unknown[]): unknown {
  if (typeof value === 'string') return parse(value)
  if (typeof value === 'number') return [value]
  return Array.isArray(value) ? value.flatMap((item: unknown) => (typeof item === 'string' ? parse(item) : [item])) : value
}

function choiceOf(field: PlanField, value: unknown, name: string): unknown {
  const choices = field.choices ?? []
  if (typeof value === 'string' && !choices.includes(value)) {
    const near = nearest(value, choices)
    throw badValue(name, value, `${near ? `"${near}", perhaps; ` : ''}one of ${choices.join(', ')}`)
  }
  return value
}
