import { SpeedgridError } from '../../shared/model/error.ts'
import type { Database } from './database.ts'
import { listSummaries, matchSummaries } from './run-summary.ts'
import type { RunSummary } from './types.ts'

/** By id, name, a unique prefix of the id, or `last`. Throws `not_found`, naming what is near. */
export function findRun(database: Database, idOrName: string): RunSummary {
  const [byId] = matchSummaries(database, 'id', idOrName)
  if (byId !== undefined) return byId
  if (idOrName === 'last') {
    const [last] = listSummaries(database)
    if (last !== undefined) return last
    throw new SpeedgridError('not_found', 'There are no runs yet', { nextStep: 'Start one with `speedgrid sweep`.' })
  }
  const named = matchSummaries(database, 'name', idOrName)
  const untrashed = named.filter((run) => !run.trashed)
  const candidates = untrashed.length > 0 ? untrashed : named
  if (candidates.length === 1 && candidates[0] !== undefined) return candidates[0]
  if (candidates.length > 1) throw ambiguous(`${String(candidates.length)} runs are named “${idOrName}”`, candidates)

  const prefixed = idOrName === '' ? [] : matchSummaries(database, 'prefix', idOrName)
  if (prefixed.length === 1 && prefixed[0] !== undefined) return prefixed[0]
  if (prefixed.length > 1) throw ambiguous(`${String(prefixed.length)} runs have an id that begins with ${idOrName}`, prefixed)
  throw notFound(database, idOrName)
}

function ambiguous(cause: string, runs: RunSummary[]): SpeedgridError {
  return new SpeedgridError('not_found', cause, { evidence: runs.slice(0, 10).map(describe), nextStep: 'Name one by its id.' })
}

function notFound(database: Database, idOrName: string): SpeedgridError {
  const runs = listSummaries(database)
  const wanted = idOrName.toLowerCase()
  const near = runs.filter((run) => {
    const name = run.name.toLowerCase()
    return wanted !== '' && (name.includes(wanted) || wanted.includes(name) || run.id.startsWith(wanted.slice(0, 3)))
  })
  const shown = (near.length > 0 ? near : runs).slice(0, 5)
  return new SpeedgridError('not_found', `There is no run “${idOrName}”`, {
    evidence: shown.map(describe),
    nextStep: runs.length === 0 ? 'There are no runs yet; start one with `speedgrid sweep`.' : 'List them with `speedgrid runs`.',
  })
}

function describe(run: RunSummary): string {
  return `${run.id}  ${run.name}  (${run.createdAt.slice(0, 16).replace('T', ' ')}${run.trashed ? ', in the trash' : ''})`
}
