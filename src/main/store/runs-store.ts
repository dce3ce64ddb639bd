import { isoTime } from '../../shared/format/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import { isRunOver, type RunState } from '../../shared/model/states.ts'
import { countCells, modelOf, projectRun, seedModel } from '../../shared/run/index.ts'
import { addEvent, storeState, toJson } from './store-line.ts'
import type { Clock } from './clock.ts'
import type { Database } from './database.ts'
import { createLeases } from './leases.ts'
import { loadRunParts } from './load-run-parts.ts'
import { loadSweepLog } from './load-sweep-log.ts'
import { choicesOfRuns } from './run-list/choices.ts'
import { findRun } from './run-list/find-run.ts'
import { countRuns, listSummaries, pageOfRuns } from './run-list/list-runs.ts'
import { matchSummaries } from './run-list/run-summary.ts'
import { createSpoolStore } from './spool-store.ts'
import type { DriverLocation, NewRun, RunsStore } from './types.ts'

export function createRunsStore({ database, clock }: { database: Database; clock: Clock }): RunsStore {
  const spool = createSpoolStore(database)
  const leases = createLeases({ database, clock })
  const isoNow = () => new Date(clock.now()).toISOString()

  function update(id: string, column: 'name' | 'note' | 'trashed_at' | 'location', value: string | null): void {
    const changed = database.run(`UPDATE runs SET ${column} = ? WHERE id = ?`, value, id)
    if (changed === 0) throw new SpeedgridError('not_found', `There is no run ${id}`)
  }
  function replaceTags(id: string, tags: string[]): void {
    database.run('DELETE FROM tags WHERE run_id = ?', id)
    for (const tag of new Set(tags)) database.run('INSERT INTO tags (run_id, tag) VALUES (?, ?)', id, tag)
  }

  function lastHeardAt(id: string): string | undefined {
    const line = database.get<{ time_ms: number }>('SELECT time_ms FROM spool WHERE run_id = ? ORDER BY n DESC LIMIT 1', id)
    return line === undefined ? undefined : isoTime(line.time_ms)
  }
  /** A state that was written by somebody who may be gone is told with when that was. */
  function withDoubt<Run extends { id: string; state: RunState }>(run: Run): Run & { unwatched?: { lastHeardAt?: string } } {
    if (isRunOver(run.state) || run.state === 'interrupted' || !leases.isOrphan(run.id)) return run
    const heardAt = lastHeardAt(run.id)
    return { ...run, unwatched: heardAt === undefined ? {} : { lastHeardAt: heardAt } }
  }

  return {
    create: (run) =>
      database.brief(() => {
        insertRun(database, run, isoNow())
        replaceTags(run.id, run.tags)
      }),
    discard: (id) =>
      database.brief(() => {
        if (spool.lastLine(id) > 0) throw new SpeedgridError('conflict', `Run ${id} has begun and is kept`)
        database.run('DELETE FROM runs WHERE id = ?', id)
      }),
    find: (idOrName) => withDoubt(findRun(database, idOrName)),
    get: (id) => matchSummaries(database, 'id', id, 1)[0],
    list: (options) => listSummaries(database, options).map(withDoubt),
    page: (query) => {
      const page = pageOfRuns(database, query)
      return { ...page, rows: page.rows.map(withDoubt) }
    },
    count: (filter) => countRuns(database, filter),
    choices: (trashed) => choicesOfRuns(database, trashed),
    exact: (id) => database.get<{ state: RunState }>('SELECT state FROM runs WHERE id = ?', id),
    sweep: (id, link) => seedModel(loadRunParts(database, id), loadSweepLog(database, id), link),
    document: (id) => withDoubt(projectRun(loadRunParts(database, id))),
    setLocation: (id, location) =>
      database.brief(() => update(id, 'location', location === undefined ? null : JSON.stringify(location))),
    location: (id) => {
      const row = database.get<{ location: string | null }>('SELECT location FROM runs WHERE id = ?', id)
      return row?.location == null ? undefined : (JSON.parse(row.location) as DriverLocation)
    },
    leftovers: () =>
      database
        .all<{ id: string; state: Parameters<typeof isRunOver>[0]; location: string }>(
          'SELECT id, state, location FROM runs WHERE location IS NOT NULL ORDER BY created_at',
        )
        .filter((row) => isRunOver(row.state))
        .map((row) => ({ id: row.id, location: JSON.parse(row.location) as DriverLocation })),
    unsettled: () =>
      database
        .all<{ id: string; state: RunState; created_at: string; location: string | null }>(
          "SELECT id, state, created_at, location FROM runs WHERE state IN ('planned', 'preparing', 'running', 'paused', 'interrupted')",
        )
        .map(({ id, state, created_at: createdAt, location }) => ({
          id,
          state,
          createdAt,
          ...(location === null ? {} : { location: JSON.parse(location) as DriverLocation }),
        })),
    isOrphan: leases.isOrphan,
    lastHeardAt,
    setState: (id, state, reason) => database.brief(() => storeState(database, id, state, reason, clock.now())),
    setTags: (id, tags) => database.transaction(() => replaceTags(id, tags)),
    setNote: (id, note) => update(id, 'note', note === '' ? null : note),
    rename: (id, name) => update(id, 'name', name),
    setTrashed: (id, trashed) => update(id, 'trashed_at', trashed ? isoNow() : null),
    addEvent: (id, level, text) => database.brief(() => addEvent(database, id, { n: null, timeMs: clock.now(), level, text })),
    lastLine: spool.lastLine,
    appendLines: spool.append,
    lines: spool.lines,
    outcomes: spool.outcomes,
    attempts: spool.attempts,
    attemptsAt: spool.attemptsAt,
    samples: spool.samples,
    prefills: spool.prefills,
    takeLease: leases.take,
    releaseLease: leases.release,
    leaseHolder: leases.holder,
  }
}

function insertRun(database: Database, run: NewRun, createdAt: string): void {
  database.run(
    `INSERT INTO runs (id, name, demo, created_at, state, plan, host_name, host_address, hardware, engine, model, launch_command, started_argv, cells_total)
     VALUES (?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    run.id,
    run.name,
    run.demo ? 1 : 0,
    createdAt,
    JSON.stringify(run.plan),
    run.host?.name ?? null,
    run.host?.address ?? null,
    toJson(run.hardware),
    toJson(run.engine),
    modelOf(run.engine) ?? null,
    run.launchCommand ?? null,
    toJson(run.startedArgv),
    countCells({ plan: run.plan, engine: run.engine, planned: [], outcomes: [], prefills: [] }).totalCells,
  )
}
