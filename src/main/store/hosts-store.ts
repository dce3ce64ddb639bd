import { hostSchema } from '../../shared/model/host.ts'
import type { Database } from './database.ts'
import type { HostsStore } from './types.ts'

export function createHostsStore(database: Database): HostsStore {
  return {
    list: () =>
      database
        .all<{ json: string }>('SELECT json FROM hosts ORDER BY name COLLATE NOCASE')
        .map((row) => hostSchema.parse(JSON.parse(row.json))),
    save: (host) => {
      database.run(
        'INSERT INTO hosts (name, json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET json = excluded.json',
        host.name,
        JSON.stringify(host),
      )
    },
    remove: (name) => {
      database.run('DELETE FROM hosts WHERE name = ?', name)
    },
  }
}
