import type { SpoolLine } from '../../shared/model/spool.ts'
import type { RunState } from '../../shared/model/states.ts'
import { countCells, describeUndone, headAfter, modelOf, outcomeOf, type RunHead, stateAfter } from '../../shared/run/index.ts'
import type { Database } from './database.ts'
import { loadHead, loadProgress } from './load-run-parts.ts'

/** What a new line changes outside the spool table: what `shared/run` makes of it is kept in rows. `latest`: no later line was stored before it. */
export function storeLine(database: Database, runId: string, line: SpoolLine, latest: boolean): void {
  switch (line.kind) {
    case 'hello':
      database.run(
        `INSERT OR IGNORE INTO epochs (run_id, first_line, epoch, place, driver_version, node_version, last_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        runId,
        line.n,
        line.epoch,
        line.place,
        line.driverVersion,
        line.nodeVersion,
        line.m,
      )
      storeHead(database, runId, line)
      return
    case 'state':
    case 'end':
      if (latest) storeHead(database, runId, line)
      return
    case 'facts':
      if (latest) storeHead(database, runId, line)
      storeCounts(database, runId)
      return
    case 'planned':
      storeCounts(database, runId)
      return
    case 'attempt':
    case 'settled': {
      const outcome = outcomeOf(line)
      database.run(
        `INSERT OR IGNORE INTO outcomes (run_id, n, context_tokens, concurrency, repeat, attempt, status, summary)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        runId,
        line.n,
        outcome.contextTokens,
        outcome.concurrency,
        outcome.repeat,
        outcome.attempt ?? null,
        outcome.status,
        JSON.stringify(outcome),
      )
      storeCounts(database, runId)
      return
    }
    case 'prefill':
      database.run(
        'INSERT OR IGNORE INTO prefills (run_id, n, context_tokens, source, status, json) VALUES (?, ?, ?, ?, ?, ?)',
        runId,
        line.n,
        line.result.contextTokens,
        line.result.source,
        line.result.status,
        JSON.stringify(line.result),
      )
      return
    case 'event':
      addEvent(database, runId, { n: line.n, timeMs: line.t, level: line.level, text: line.text })
      return
    default:
  }
}

export function addEvent(
  database: Database,
  runId: string,
  event: { n: number | null; timeMs: number; level: string; text: string },
): void {
  database.run(
    'INSERT INTO events (run_id, n, time_ms, level, text) VALUES (?, ?, ?, ?, ?)',
    runId,
    event.n,
    event.timeMs,
    event.level,
    event.text,
  )
}

/** A state that an engine says, not the driver. */
export function storeState(database: Database, runId: string, state: RunState, reason: string | undefined, timeMs: number): void {
  const head = loadHead(database, runId)
  if (head === undefined) return
  saveHead(
    database,
    runId,
    timeMs,
    stateAfter(head, { state, reason, timeMs }, () => undoneOf(database, runId)),
  )
}

function storeHead(database: Database, runId: string, line: SpoolLine): void {
  const head = loadHead(database, runId)
  if (head !== undefined)
    saveHead(
      database,
      runId,
      line.t,
      headAfter(head, line, () => undoneOf(database, runId)),
    )
}

function undoneOf(database: Database, runId: string): string | undefined {
  return describeUndone(loadProgress(database, runId))
}

function saveHead(
  database: Database,
  runId: string,
  timeMs: number,
  { head, doubts }: ReturnType<typeof headAfter<RunHead>>,
): void {
  for (const { level, text } of doubts) addEvent(database, runId, { n: null, timeMs, level, text })
  database.run(
    `UPDATE runs SET state = ?, reason = ?, started_at = ?, finished_at = ?, place = ?, demo = ?, engine = ?, model = ?, path = ?,
     request_template = ? WHERE id = ?`,
    head.state,
    head.reason ?? null,
    head.startedAt ?? null,
    head.finishedAt ?? null,
    head.place ?? null,
    head.demo ? 1 : 0,
    toJson(head.engine),
    modelOf(head.engine) ?? null,
    toJson(head.path),
    toJson(head.requestTemplate),
    runId,
  )
}

function storeCounts(database: Database, runId: string): void {
  const { doneCells, totalCells } = countCells(loadProgress(database, runId))
  database.run('UPDATE runs SET cells_done = ?, cells_total = ? WHERE id = ?', doneCells, totalCells, runId)
}

export function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
