import type { Database } from './database.ts'

/** Named values as JSON; what they mean is the caller's business. */
export interface SettingsStore {
  all: () => Record<string, unknown>
  /** Writes every field in one transaction; `undefined` takes a field away. */
  change: (values: Record<string, unknown>) => void
}

export function createSettingsStore(database: Database): SettingsStore {
  return {
    all: () =>
      Object.fromEntries(
        database
          .all<{ name: string; json: string }>('SELECT name, json FROM settings')
          .map((row): [string, unknown] => [row.name, JSON.parse(row.json)]),
      ),
    change: (values) =>
      database.transaction(() => {
        for (const [name, value] of Object.entries(values)) {
          if (value === undefined) database.run('DELETE FROM settings WHERE name = ?', name)
          else {
            database.run(
              'INSERT INTO settings (name, json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET json = excluded.json',
              name,
              JSON.stringify(value),
            )
          }
        }
      }),
  }
}
