import { isoTime } from '../../shared/format/index.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import { canRunGo, isRunOver, type RunState } from '../../shared/model/states.ts'
import { type Outcome, outcomeOfAttempt, outcomeOfSettled } from '../../shared/run/index.ts'
import type { Database } from './database.ts'
import { describeUndone } from './undone.ts'

/** What a new line changes outside the spool table. `latest`: no later line was stored before it. */
export function applyLine(database: Database, runId: string, line: SpoolLine, latest: boolean): void {
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
      database.run(
        'UPDATE runs SET started_at = coalesce(started_at, ?), place = ? WHERE id = ?',
        isoTime(line.t),
        line.place,
        runId,
      )
      return
    case 'state':
    case 'end':
      if (latest) applyState(database, runId, line.state, line.reason ?? line.error?.cause, line.t)
      return
    case 'facts':
      if (latest) applyFacts(database, runId, line)
      return
    case 'attempt':
      addOutcome(database, runId, line.n, line.record.attempt, outcomeOfAttempt(line.record))
      return
    case 'settled':
      addOutcome(database, runId, line.n, null, outcomeOfSettled(line))
      return
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

/** The driver obeys the table of states; where it says something else it is believed, and the doubt is written down. */
export function applyState(database: Database, runId: string, said: RunState, because: string | undefined, timeMs: number): void {
  // Here, and nowhere else: a run is finished when nothing of it is missing, whatever its driver says.
  const lacks = said === 'finished' ? describeUndone(database, runId) : undefined
  const to = lacks === undefined ? said : 'interrupted'
  const reason = lacks ?? because
  if (lacks !== undefined) {
    addEvent(database, runId, { n: null, timeMs, level: 'error', text: `The driver said that it has finished, but ${lacks}` })
  }
  const from = database.get<{ state: RunState }>('SELECT state FROM runs WHERE id = ?', runId)?.state
  if (from !== undefined && from !== to && !canRunGo(from, to)) {
    addEvent(database, runId, {
      n: null,
      timeMs,
      level: 'warn',
      text: `The run went from ${from} to ${to}, which is not expected`,
    })
  }
  const ended = isRunOver(to) || to === 'interrupted'
  database.run(
    'UPDATE runs SET state = ?, reason = ?, finished_at = ? WHERE id = ?',
    to,
    reason ?? null,
    ended ? isoTime(timeMs) : null,
    runId,
  )
}

function applyFacts(database: Database, runId: string, line: Extract<SpoolLine, { kind: 'facts' }>): void {
  const row = database.get<{ engine: string | null }>('SELECT engine FROM runs WHERE id = ?', runId)
  const before: unknown = row?.engine == null ? {} : JSON.parse(row.engine)
  const engine = { ...(before as object), ...line.facts }
  database.run(
    `UPDATE runs SET engine = ?, model = ?, demo = max(demo, ?), path = coalesce(?, path),
     request_template = coalesce(?, request_template) WHERE id = ?`,
    JSON.stringify(engine),
    engine.model ?? engine.servedModel,
    engine.demo === true ? 1 : 0,
    line.path === undefined ? null : JSON.stringify(line.path),
    line.requestTemplate === undefined ? null : JSON.stringify(line.requestTemplate),
    runId,
  )
}

function addOutcome(database: Database, runId: string, n: number, attempt: number | null, outcome: Outcome): void {
  database.run(
    `INSERT OR IGNORE INTO outcomes (run_id, n, context_tokens, concurrency, repeat, attempt, status, summary)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    runId,
    n,
    outcome.contextTokens,
    outcome.concurrency,
    outcome.repeat,
    attempt,
    outcome.status,
    JSON.stringify(outcome),
  )
  // A cell is done when each of its repeats has ended with a status of its own.
  database.run(
    `UPDATE runs SET cells_done = (
       SELECT count(*) FROM (
         SELECT 1 FROM outcomes WHERE run_id = runs.id AND status NOT IN ('cancelled', 'pending')
         GROUP BY context_tokens, concurrency HAVING count(DISTINCT repeat) >= json_extract(runs.plan, '$.repeats')
       )
     ) WHERE id = ?`,
    runId,
  )
}
