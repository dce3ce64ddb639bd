import type { RunFilter } from '../../../shared/contract/runs.ts'
import type { Value } from '../database.ts'

/** Part of a WHERE with what goes into its question marks. */
interface Conditions {
  sql: string
  values: Value[]
}

const TEXT = `(name || char(10) || coalesce(host_name, '') || char(10) || coalesce(model, '') || char(10) || coalesce(note, '')
  || char(10) || state || char(10) || id || iif(demo, char(10) || 'demo', ''))`
const LIKE = "LIKE ? ESCAPE '\\'"
// oxlint-disable-next-line no-control-regex -- the characters that LIKE itself folds
const IS_ASCII = /^[\u0000-\u007f]*$/

/** Lists go in as JSON, so that one text of a statement serves lists of any length. */
const oneOf = (column: string) => `${column} IN (SELECT value FROM json_each(?))`

export function conditionsOf(filter: Partial<RunFilter>): Conditions {
  const parts = [filter.trashed === true ? 'trashed_at IS NOT NULL' : 'trashed_at IS NULL']
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]) => {
    parts.push(sql)
    values.push(...more)
  }
  if (filter.hosts?.length) add(oneOf('host_name'), JSON.stringify(filter.hosts))
  if (filter.models?.length) add(oneOf('model'), JSON.stringify(filter.models))
  if (filter.states?.length) add(oneOf('state'), JSON.stringify(filter.states))
  if (filter.tags?.length) add(`id IN (SELECT run_id FROM tags WHERE ${oneOf('tag')})`, JSON.stringify(filter.tags))
  for (const word of (filter.search ?? '').split(/\s+/).filter((part) => part !== '')) {
    const pattern = `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    // LIKE knows only the letters of ASCII; the others cost a call of ours for every row.
    const folded = (text: string) => (IS_ASCII.test(word) ? text : `folded(${text})`)
    add(`(${folded(TEXT)} ${LIKE} OR id IN (SELECT run_id FROM tags WHERE ${folded('tag')} ${LIKE}))`, pattern, pattern)
  }
  return { sql: parts.join(' AND '), values }
}
