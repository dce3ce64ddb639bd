import { SpeedgridError } from '../../../shared/model/error.ts'
import type { Database } from '../database.ts'
import { conditionsOf } from './conditions.ts'
import { listSummaries } from './list-runs.ts'
import { COLUMNS, countMatches, matchSummaries, NEWEST_FIRST, type SummaryRow, toSummary } from './run-summary.ts'
import type { RunSummary } from '../types.ts'

/** How many candidates are named where one name means several runs. */
const SHOWN = 10
const NEAR = 5

/** By id, name, a unique prefix of the id, or `last`. Throws `not_found`, naming what is near. */
export function findRun(database: Database, idOrName: string): RunSummary {
  const [byId] = matchSummaries(database, 'id', idOrName, 1)
  if (byId !== undefined) return byId
  if (idOrName === 'last') {
    const [last] = listSummaries(database, { limit: 1 })
    if (last !== undefined) return last
    throw new SpeedgridError('not_found', 'There are no runs yet', { nextStep: 'Start one with `speedgrid sweep`.' })
  }
  const named = listNamed(database, idOrName)
  if (named.length === 1 && named[0] !== undefined) return named[0]
  if (named.length > 1) {
    const trashed = named[0]?.trashed === true
    const count = countMatches(database, 'name', idOrName, trashed)
    throw ambiguous(`${String(count)} runs are named “${idOrName}”`, named)
  }
  const prefixed = idOrName === '' ? [] : matchSummaries(database, 'prefix', idOrName, SHOWN)
  if (prefixed.length === 1 && prefixed[0] !== undefined) return prefixed[0]
  if (prefixed.length > 1) {
    const count = countMatches(database, 'prefix', idOrName)
    throw ambiguous(`${String(count)} runs have an id that begins with ${idOrName}`, prefixed)
  }
  throw notFound(database, idOrName)
}

/** Those outside the trash; where there are none, those in it. */
function listNamed(database: Database, name: string): RunSummary[] {
  const outside = matchSummaries(database, 'name', name, SHOWN, false)
  return outside.length > 0 ? outside : matchSummaries(database, 'name', name, SHOWN, true)
}

function ambiguous(cause: string, runs: RunSummary[]): SpeedgridError {
  return new SpeedgridError('not_found', cause, { evidence: runs.map(describe), nextStep: 'Name one by its id.' })
}

function notFound(database: Database, idOrName: string): SpeedgridError {
  const wanted = idOrName.toLowerCase()
  const near = wanted === '' ? [] : listNear(database, wanted)
  const shown = near.length > 0 ? near : listSummaries(database, { limit: NEAR })
  return new SpeedgridError('not_found', `There is no run “${idOrName}”`, {
    evidence: shown.map(describe),
    nextStep:
      shown.length === 0 ? 'There are no runs yet; start one with `speedgrid sweep`.' : 'List them with `speedgrid runs`.',
  })
}

/** A name that has what was asked for or that it has, or an id that begins alike. */
function listNear(database: Database, wanted: string): RunSummary[] {
  return database
    .all<SummaryRow>(
      `SELECT ${COLUMNS} FROM runs WHERE ${conditionsOf({}).sql}
       AND (instr(lower(name), ?) > 0 OR instr(?, lower(name)) > 0 OR substr(id, 1, length(?)) = ?) ${NEWEST_FIRST} LIMIT ?`,
      wanted,
      wanted,
      wanted.slice(0, 3),
      wanted.slice(0, 3),
      NEAR,
    )
    .map(toSummary)
}

function describe(run: RunSummary): string {
  return `${run.id}  ${run.name}  (${run.createdAt.slice(0, 16).replace('T', ' ')}${run.trashed ? ', in the trash' : ''})`
}
