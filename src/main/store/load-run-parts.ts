import { createHash } from 'node:crypto'
import { saneIsoTime } from '../../shared/format/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { RunState } from '../../shared/model/states.ts'
import { placeOf, type ProgressParts, type RunHead, type RunParts } from '../../shared/run/index.ts'
import type { Database } from './database.ts'
import { ofKind, readOutcomes } from './read-lines.ts'

interface HeadRow {
  state: RunState
  reason: string | null
  started_at: string | null
  finished_at: string | null
  place: string | null
  demo: number
  engine: string | null
  path: string | null
  request_template: string | null
}
interface RunRow extends HeadRow {
  id: string
  name: string
  note: string | null
  plan: string
  host_name: string | null
  host_address: string | null
  hardware: string | null
  launch_command: string | null
  started_argv: string | null
}

/** Reads what a document is made from. Throws `not_found`. */
export function loadRunParts(database: Database, id: string): RunParts {
  const row = database.get<RunRow>('SELECT * FROM runs WHERE id = ?', id)
  if (row === undefined) throw new SpeedgridError('not_found', `There is no run ${id}`)
  const plan = JSON.parse(row.plan) as RunParts['plan']
  const head = headOf(row)
  return {
    id: row.id,
    name: row.name,
    tags: readTags(database, id),
    note: row.note ?? undefined,
    ...head,
    host: row.host_name === null ? undefined : { name: row.host_name, address: row.host_address ?? undefined },
    hardware: fromJson(row.hardware),
    launchCommand: row.launch_command ?? undefined,
    startedArgv: fromJson(row.started_argv),
    plan,
    promptText: promptTextOf(plan),
    place: head.place ?? plan.driver ?? (row.host_name === null ? 'local' : 'host'),
    planned: ofKind(database, id, 'planned'),
    outcomes: readOutcomes(database, id),
    prefills: database
      .all<{ json: string }>('SELECT json FROM prefills WHERE run_id = ? ORDER BY n', id)
      .map((prefill) => JSON.parse(prefill.json) as RunParts['prefills'][number]),
    prompts: ofKind(database, id, 'prompt'),
    events: database
      .all<{ time_ms: number; level: 'info' | 'warn' | 'error'; text: string }>(
        'SELECT time_ms, level, text FROM events WHERE run_id = ? ORDER BY id',
        id,
      )
      .map((event) => ({ timeMs: event.time_ms, level: event.level, text: event.text })),
    epochs: database
      .all<{ node_version: string; driver_version: string; last_ms: number }>(
        'SELECT node_version, driver_version, last_ms FROM epochs WHERE run_id = ? ORDER BY first_line',
        id,
      )
      .map((epoch) => ({ nodeVersion: epoch.node_version, driverVersion: epoch.driver_version, seconds: epoch.last_ms / 1000 })),
  }
}

function promptTextOf({ prompts }: RunParts['plan']): RunParts['promptText'] {
  if (prompts === undefined) return undefined
  const sha256 = createHash('sha256').update(JSON.stringify(prompts.texts)).digest('hex')
  return { name: prompts.name, texts: prompts.texts.length, sha256 }
}

/** How the run stands as a whole; undefined where there is none. */
export function loadHead(database: Database, id: string): RunHead | undefined {
  const row = database.get<HeadRow>(
    'SELECT state, reason, started_at, finished_at, place, demo, engine, path, request_template FROM runs WHERE id = ?',
    id,
  )
  return row === undefined ? undefined : headOf(row)
}

function headOf(row: HeadRow): RunHead {
  return {
    state: row.state,
    reason: row.reason ?? undefined,
    startedAt: row.started_at === null ? undefined : saneIsoTime(row.started_at),
    finishedAt: row.finished_at === null ? undefined : saneIsoTime(row.finished_at),
    place: placeOf(row.place),
    demo: row.demo === 1,
    engine: fromJson(row.engine),
    path: fromJson(row.path),
    requestTemplate: fromJson(row.request_template),
  }
}

/** What tells how far a run is, without what its tries have measured. */
export function loadProgress(database: Database, id: string): ProgressParts {
  const row = database.get<{ plan: string; engine: string | null }>('SELECT plan, engine FROM runs WHERE id = ?', id)
  if (row === undefined) throw new SpeedgridError('not_found', `There is no run ${id}`)
  return {
    plan: JSON.parse(row.plan) as ProgressParts['plan'],
    engine: fromJson(row.engine),
    planned: ofKind(database, id, 'planned'),
    outcomes: database.all<ProgressParts['outcomes'][number]>(
      'SELECT DISTINCT context_tokens AS contextTokens, concurrency, repeat, status FROM outcomes WHERE run_id = ?',
      id,
    ),
    prefills: database.all<ProgressParts['prefills'][number]>(
      'SELECT DISTINCT context_tokens AS contextTokens, status FROM prefills WHERE run_id = ?',
      id,
    ),
  }
}

function readTags(database: Database, id: string): string[] {
  return database.all<{ tag: string }>('SELECT tag FROM tags WHERE run_id = ? ORDER BY rowid', id).map((row) => row.tag)
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what was written here is read here
function fromJson<Type>(text: string | null): Type | undefined {
  return text === null ? undefined : (JSON.parse(text) as Type)
}
