import { SpeedgridError } from '../../../shared/model/error.ts'
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

/** Brings the file to the newest schema, each step in its own transaction. Throws `conflict` for a file newer than this program. */
export function migrate(database: Database, path: string, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = migrations.at(-1)?.version ?? 0
  for (const migration of migrations) {
    if (readVersion(database) >= migration.version) continue
    database.transaction(() => {
      // Another process may have done it while we waited for the lock.
      if (readVersion(database) >= migration.version) return
      database.exec(migration.sql)
      database.exec(`PRAGMA user_version = ${String(migration.version)}`)
    })
  }
  const found = readVersion(database)
  if (found > newest) {
    throw new SpeedgridError('conflict', 'The history was written by a newer Speedgrid', {
      evidence: [`${path}: schema ${String(found)}, this program knows up to ${String(newest)}`],
      nextStep: 'Update Speedgrid, or choose another data folder with --data-dir.',
    })
  }
}

function readVersion(database: Database): number {
  return database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}
