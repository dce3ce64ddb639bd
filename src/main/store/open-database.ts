import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SpeedgridError } from '../../shared/model/error.ts'
import { checkFile } from './check-file.ts'
import { BUSY_TIMEOUT_MS, createDatabase, type Database } from './database.ts'
import { makeFolder } from './make-folder.ts'
import { migrate, NEWEST_SCHEMA } from './migrations/index.ts'
import { explainSqliteError } from './sqlite-error.ts'

/** Opens (or makes) `history.db` in the data folder: folder 0700 where we make it, file 0600, WAL, newest schema. */
export function openDatabase(dataDir: string): Database {
  const path = join(dataDir, 'history.db')
  prepareFiles(dataDir, path)
  checkFile(path, NEWEST_SCHEMA)
  let connection: DatabaseSync
  try {
    connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  } catch (error) {
    throw explainSqliteError(error, path)
  }
  const database = createDatabase(connection, path)
  try {
    database.exec('PRAGMA journal_mode = WAL')
    // A driver may delete what is acknowledged, so that what is stored has to be on disk, not only in the system's cache.
    database.exec('PRAGMA synchronous = FULL')
    migrate(database)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

function prepareFiles(dataDir: string, path: string): void {
  try {
    // A folder that was there before keeps its mode: it may be anything the person named.
    makeFolder(dataDir)
    closeSync(openSync(path, 'a', 0o600))
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

function explainFileError(error: unknown, dataDir: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const detail = { evidence: [error instanceof Error ? error.message : String(error)], from: error }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new SpeedgridError('disk_full', `The disk of the data folder ${dataDir} is full`, {
      ...detail,
      nextStep: 'Make room there.',
    })
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const nextStep = 'Make it writable, or choose another data folder with --data-dir.'
    return new SpeedgridError('read_only', `The data folder ${dataDir} is not writable`, { ...detail, nextStep })
  }
  if (code === 'ENOTDIR' || code === 'ENOENT' || code === 'EEXIST' || code === 'EISDIR') {
    const nextStep = 'Choose another data folder with --data-dir.'
    return new SpeedgridError('usage', `The data folder ${dataDir} cannot be used`, { ...detail, nextStep })
  }
  return error
}
