import type { Attempt, PrefillResult } from '../../shared/model/cell.ts'
import type { SpoolLine } from '../../shared/model/spool.ts'
import type { Outcome } from '../../shared/run/index.ts'
import { ofKind, readOutcomes, readSamples, type Sample, type SampleRange } from './read-lines.ts'
import { storeLine } from './store-line.ts'
import type { Database } from './database.ts'

/** Lines that only say how it stands at the moment: counted, not kept. */
const TRANSIENT = new Set<SpoolLine['kind']>(['live', 'beat'])
const PAGE_LINES = 500

interface SpoolStore {
  lastLine: (id: string) => number
  append: (id: string, lines: SpoolLine[]) => number
  lines: (id: string, afterLine?: number) => Iterable<SpoolLine>
  outcomes: (id: string) => Outcome[]
  attempts: (id: string) => Attempt[]
  attemptsAt: (id: string, contextTokens: number, concurrency: number) => Attempt[]
  samples: (id: string, range?: SampleRange) => Sample[]
  prefills: (id: string) => PrefillResult[]
}

export function createSpoolStore(database: Database): SpoolStore {
  function lastLine(id: string): number {
    return database.get<{ last_line: number }>('SELECT last_line FROM runs WHERE id = ?', id)?.last_line ?? 0
  }

  function append(id: string, lines: SpoolLine[]): number {
    if (lines.length === 0) return 0
    return database.brief(() => {
      let last = lastLine(id)
      let added = 0
      for (const line of lines) {
        const latest = line.n > last
        if (TRANSIENT.has(line.kind)) {
          if (latest) added++
        } else if (insertLine(id, line)) {
          added++
          storeLine(database, id, line, latest)
        }
        if (!latest) continue
        last = line.n
        database.run(
          'UPDATE epochs SET last_ms = ? WHERE run_id = ? AND first_line = (SELECT max(first_line) FROM epochs WHERE run_id = ?)',
          line.m,
          id,
          id,
        )
      }
      database.run('UPDATE runs SET last_line = ? WHERE id = ? AND last_line < ?', last, id, last)
      return added
    })
  }

  function insertLine(id: string, line: SpoolLine): boolean {
    const changed = database.run(
      'INSERT OR IGNORE INTO spool (run_id, n, kind, time_ms, json) VALUES (?, ?, ?, ?, ?)',
      id,
      line.n,
      line.kind,
      line.t,
      JSON.stringify(line),
    )
    return changed === 1
  }

  function* lines(id: string, afterLine = 0): Iterable<SpoolLine> {
    let after = afterLine
    for (;;) {
      const page = database.all<{ n: number; json: string }>(
        'SELECT n, json FROM spool WHERE run_id = ? AND n > ? ORDER BY n LIMIT ?',
        id,
        after,
        PAGE_LINES,
      )
      for (const row of page) {
        after = row.n
        yield JSON.parse(row.json) as SpoolLine
      }
      if (page.length < PAGE_LINES) return
    }
  }

  return {
    lastLine,
    append,
    lines,
    outcomes: (id) => readOutcomes(database, id),
    attempts: (id) => ofKind(database, id, 'attempt').map((line) => line.record),
    attemptsAt: (id, contextTokens, concurrency) =>
      database
        .all<{ json: string }>(
          `SELECT spool.json FROM outcomes JOIN spool ON spool.run_id = outcomes.run_id AND spool.n = outcomes.n
           WHERE outcomes.run_id = ? AND context_tokens = ? AND concurrency = ? AND spool.kind = 'attempt' ORDER BY spool.n`,
          id,
          contextTokens,
          concurrency,
        )
        .map((row) => (JSON.parse(row.json) as Extract<SpoolLine, { kind: 'attempt' }>).record),
    samples: (id, range) => readSamples(database, id, range),
    prefills: (id) => ofKind(database, id, 'prefill').map((line) => line.result),
  }
}
