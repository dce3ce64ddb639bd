import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { SpeedgridError } from '../../shared/model/error.ts'
import { damagedError, explainSqliteError } from './sqlite-error.ts'

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
/** A check of the whole file takes some tens of milliseconds up to here; a longer one is found out page by page, see database.ts. */
const CHECKED_BYTES = 8 * 1024 ** 2
/** After a crash, or with a `-wal` that is not ours, it is worth half a second. */
const CHECKED_WITH_LOG_BYTES = 64 * 1024 ** 2
const LINES = 3

/**
 * Looks at a history before anything is written to it, over a connection that can't write (closing one that could would copy a foreign
 * `-wal` into the file). Throws `conflict` for a file that is no database, cut short, damaged, or newer than `newestSchema`.
 */
export function checkFile(path: string, newestSchema: number): void {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // No file yet, or one that was just made.
  if (bytes === 0) return
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const header = readStart(path)
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw damagedError(
      path,
      [`${path} begins with ${JSON.stringify(header.toString('latin1', 0, 24))}: file is not a database`],
      {
        cause: 'The history file is not a database',
        recoverable: false,
      },
    )
  }
  const neededBytes = pageBytes(header) * header.readUInt32BE(28)
  // The length in the header counts only where it was written with the last change; a log may be about to bring the rest.
  const isCounted = header.readUInt32BE(24) === header.readUInt32BE(92)
  if (isCounted && logBytes === 0 && bytes < neededBytes) {
    throw damagedError(path, [`${path} has ${String(bytes)} bytes of ${String(neededBytes)}: it was cut short`])
  }
  const limit = logBytes > 0 ? CHECKED_WITH_LOG_BYTES : CHECKED_BYTES
  readOnly(path, (connection) => {
    refuseNewer(connection, path, newestSchema)
    if (bytes + logBytes <= limit) refuseDamaged(connection, path)
  })
}

function readStart(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, HEADER_BYTES, 0)
  } finally {
    closeSync(file)
  }
  return header
}

/** https://sqlite.org/fileformat2.html#page_size */
const pageBytes = (header: Buffer) => (header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16))

function readOnly(path: string, look: (connection: DatabaseSync) => void): void {
  try {
    const connection = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    try {
      look(connection)
    } finally {
      connection.close()
    }
  } catch (error) {
    throw explainSqliteError(error, path)
  }
}

function refuseNewer(connection: DatabaseSync, path: string, newestSchema: number): void {
  const found = Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
  if (found <= newestSchema) return
  throw new SpeedgridError('conflict', 'The history was written by a newer Speedgrid', {
    evidence: [`${path}: schema ${String(found)}, this program knows up to ${String(newestSchema)}`],
    nextStep: 'Update Speedgrid, or choose another data folder with --data-dir; nothing was written to this one.',
  })
}

function refuseDamaged(connection: DatabaseSync, path: string): void {
  const found = connection
    .prepare(`PRAGMA quick_check(${String(LINES)})`)
    .all()
    .map((row) => String(row['quick_check']))
  if (found.length === 1 && found[0] === 'ok') return
  throw damagedError(path, [`${path}: PRAGMA quick_check says`, ...found.flatMap((text) => text.split('\n')).slice(0, LINES)])
}
