import { SpeedgridError } from '../../shared/model/error.ts'

interface SqliteError extends Error {
  errcode: number
  errstr: string
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}

export const isDamageError = (error: unknown): boolean => isSqliteError(error) && [11, 26].includes(error.errcode & 0xff)

/** What to do about a history that can't be trusted any more. */
export function damagedError(
  path: string,
  evidence: string[],
  { cause = 'The history is damaged', recoverable = true, from }: { cause?: string; recoverable?: boolean; from?: unknown } = {},
): SpeedgridError {
  const recover = `recover what can be read with: sqlite3 ${path} .recover | sqlite3 recovered.db, and put that in its place (one that says “SQL logic error” was built without it: take another sqlite3)`
  const away = 'put the right file in its place, or move it away (a new one is made)'
  return new SpeedgridError('conflict', cause, {
    evidence: [...evidence, 'nothing is written to it'],
    nextStep: `Keep a copy, with the -wal beside it if there is one; then ${recoverable ? recover : away}. Or go on with another folder: --data-dir.`,
    ...(from === undefined ? {} : { from }),
  })
}

/** Whether it failed because another process has the history locked: the same may work in a moment. */
export function isHistoryLocked(error: unknown): boolean {
  if (!(error instanceof SpeedgridError) || !isSqliteError(error.cause)) return false
  const primary = error.cause.errcode & 0xff
  return primary === 5 || primary === 6
}

/** What SQLite's primary result codes (https://sqlite.org/rescode.html) mean to a person. Anything else is passed on as it is. */
export function explainSqliteError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error
  const detail = { evidence: [`${path}: ${error.message} (SQLite ${String(error.errcode)})`], from: error }
  switch (error.errcode & 0xff) {
    case 5:
    case 6:
      return new SpeedgridError('conflict', 'The history is locked by another process', {
        ...detail,
        nextStep: 'Try again; if it stays so, end the other process that has the data folder open.',
      })
    case 8:
    case 14:
      return new SpeedgridError('read_only', 'The history cannot be opened for writing', {
        ...detail,
        nextStep: 'Make the data folder writable, or choose another one with --data-dir.',
      })
    case 10:
      return new SpeedgridError('read_only', 'The disk of the data folder cannot be read or written', {
        ...detail,
        nextStep: 'Check the disk, or choose another data folder with --data-dir.',
      })
    case 13:
      return new SpeedgridError('disk_full', 'The disk of the data folder is full', {
        ...detail,
        nextStep: 'Make room there; a sweep on a host runs on meanwhile and can be resumed.',
      })
    case 11:
    case 26:
      return damagedError(path, detail.evidence, { from: error })
    default:
      return error
  }
}
