import type { Database } from './database.ts'

/** A saved way to start a server. The caller has made sure that no secret is in the command. */
interface StoredLaunch {
  id: string
  name: string
  command: string
  environment?: string
  lastUsedAt?: string
}

export interface LaunchesStore {
  /** Last used first, then by name. */
  list: () => StoredLaunch[]
  save: (launch: StoredLaunch) => void
  /** False where there is none. */
  remove: (id: string) => boolean
}

interface Row {
  id: string
  name: string
  command: string
  environment: string | null
  last_used_at: string | null
}

export function createLaunchesStore(database: Database): LaunchesStore {
  return {
    list: () =>
      database
        .all<Row>('SELECT * FROM launches ORDER BY last_used_at IS NULL, last_used_at DESC, name COLLATE NOCASE')
        .map((row) => ({
          id: row.id,
          name: row.name,
          command: row.command,
          ...(row.environment === null ? {} : { environment: row.environment }),
          ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
        })),
    save: ({ id, name, command, environment, lastUsedAt }) => {
      database.run(
        `INSERT INTO launches (id, name, command, environment, last_used_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, command = excluded.command, environment = excluded.environment,
         last_used_at = coalesce(excluded.last_used_at, last_used_at)`,
        id,
        name,
        command,
        environment ?? null,
        lastUsedAt ?? null,
      )
    },
    remove: (id) => database.run('DELETE FROM launches WHERE id = ?', id) === 1,
  }
}
