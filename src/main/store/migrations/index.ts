import type { Database } from '../database.ts'
import { history } from './0001-history.ts'
import { window } from './0002-window.ts'
import { quickList } from './0003-quick-list.ts'
import { pagedList } from './0004-paged-list.ts'

/** One step of the schema. A migration that was released is never changed; the next one is a new file with the next number. */
export interface Migration {
  version: number
  sql: string
}

const MIGRATIONS: readonly Migration[] = [history, window, quickList, pagedList]

export const NEWEST_SCHEMA = MIGRATIONS.at(-1)?.version ?? 0

/** Brings the file to the newest schema, each step in its own transaction. A newer one was refused before (check-file.ts). */
export function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  for (const migration of migrations) {
    if (readVersion(database) >= migration.version) continue
    database.transaction(() => {
      // Another process may have done it while we waited for the lock.
      if (readVersion(database) >= migration.version) return
      database.exec(migration.sql)
      database.exec(`PRAGMA user_version = ${String(migration.version)}`)
    })
  }
}

function readVersion(database: Database): number {
  return database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}
