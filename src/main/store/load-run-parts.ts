import { createHash } from 'node:crypto'
import { saneIsoTime } from '../../shared/format/index.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { RunState } from '../../shared/model/states.ts'
import type { RunParts } from '../../shared/run/index.ts'
import type { Database } from './database.ts'
import { ofKind, readOutcomes } from './spool-store.ts'

interface RunRow {
  id: string
  name: string
  note: string | null
  demo: number
  started_at: string | null
  finished_at: string | null
  state: RunState
  reason: string | null
  plan: string
  host_name: string | null
  host_address: string | null
  hardware: string | null
  engine: string | null
  launch_command: string | null
  started_argv: string | null
  place: string | null
  path: string | null
  request_template: string | null
}

/** Reads what a document is made from. Throws `not_found`. */
export function loadRunParts(database: Database, id: string): RunParts {
  const row = database.get<RunRow>('SELECT * FROM runs WHERE id = ?', id)
  if (row === undefined) throw new SpeedgridError('not_found', `There is no run ${id}`)
  const plan = JSON.parse(row.plan) as RunParts['plan']
  return {
    id: row.id,
    name: row.name,
    tags: readTags(database, id),
    note: row.note ?? undefined,
    startedAt: row.started_at === null ? undefined : saneIsoTime(row.started_at),
    finishedAt: row.finished_at === null ? undefined : saneIsoTime(row.finished_at),
    state: row.state,
    reason: row.reason ?? undefined,
    demo: row.demo === 1,
    host: row.host_name === null ? undefined : { name: row.host_name, address: row.host_address ?? undefined },
    hardware: fromJson(row.hardware),
    engine: fromJson(row.engine),
    launchCommand: row.launch_command ?? undefined,
    startedArgv: fromJson(row.started_argv),
    plan,
    promptText: promptTextOf(plan),
    place: placeOf(row.place) ?? plan.driver ?? (row.host_name === null ? 'local' : 'host'),
    path: fromJson(row.path),
    requestTemplate: fromJson(row.request_template),
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

/** Older versions stored whatever a driver said. */
function placeOf(text: string | null): RunParts['place'] | undefined {
  return text === 'host' || text === 'tunnel' || text === 'local' ? text : undefined
}

export function readTags(database: Database, id: string): string[] {
  return database.all<{ tag: string }>('SELECT tag FROM tags WHERE run_id = ? ORDER BY rowid', id).map((row) => row.tag)
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what was written here is read here
function fromJson<Type>(text: string | null): Type | undefined {
  return text === null ? undefined : (JSON.parse(text) as Type)
}
