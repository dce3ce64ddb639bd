import type { Choice, RunChoices } from '../../../shared/contract/runs.ts'
import type { Database } from '../database.ts'
import { conditionsOf } from './conditions.ts'

/** What the runs (in the trash or outside it) can be filtered by, the most frequent first. */
export function choicesOfRuns(database: Database, trashed: boolean): RunChoices {
  const { sql } = conditionsOf({ trashed })
  const counted = (column: string) =>
    database.all<Choice>(
      `SELECT ${column} AS value, count(*) AS count FROM runs WHERE ${sql} AND ${column} IS NOT NULL
       GROUP BY ${column} ORDER BY count DESC, ${column}`,
    )
  return {
    hosts: counted('host_name'),
    models: counted('model'),
    states: counted('state'),
    // Few runs are in the trash: that is far less than looking up the run of every tag.
    tags: database.all<Choice>(
      `SELECT tag AS value, count(*) AS count FROM tags
       WHERE run_id ${trashed ? 'IN' : 'NOT IN'} (SELECT id FROM runs WHERE trashed_at IS NOT NULL)
       GROUP BY tag ORDER BY count DESC, tag`,
    ),
  }
}
