import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { explainSqliteError, isDamageError } from './sqlite-error.ts'

/** How long a statement waits where another process has the file locked; nothing else of this process runs meanwhile. */
export const BUSY_TIMEOUT_MS = 5000
const BRIEF_TIMEOUT_MS = 50

export type Value = SQLInputValue

/** The SQLite connection as the repositories use it: cached statements, transactions, errors for people. */
export interface Database {
  run(sql: string, ...values: Value[]): number
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a query's shape is known where it is written
  get<Row>(sql: string, ...values: Value[]): Row | undefined
  all<Row>(sql: string, ...values: Value[]): Row[]
  exec(sql: string): void
  /** Takes the write lock first, so that what is read inside cannot change before it is written. Nested calls join the outer one. */
  transaction<Result>(work: () => Result): Result
  /** The same for who tries again later: waits for a lock hardly at all, so that this process goes on with what can't wait (streams). */
  brief<Result>(work: () => Result): Result
  close(): void
}

export function createDatabase(connection: DatabaseSync, path: string): Database {
  const statements = new Map<string, StatementSync>()
  const textOf = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : '')
  // Letters of every alphabet in lower case; the same with its numbers in their order, for sorting.
  connection.function('folded', { deterministic: true }, textOf)
  connection.function('natural', { deterministic: true }, (value) =>
    textOf(value).replace(/\d+/g, (digits) => digits.padStart(12, '0')),
  )
  let depth = 0
  let damage: unknown

  function guarded<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      const explained = explainSqliteError(error, path)
      if (isDamageError(error)) damage ??= explained
      throw explained
    }
  }
  /** Once a page turned out to be damaged, nothing is written any more: it could bury what can still be recovered. */
  function writing<Result>(work: () => Result): Result {
    if (damage !== undefined) throw damage
    return guarded(work)
  }
  function prepared(sql: string): StatementSync {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = connection.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  function transaction<Result>(work: () => Result): Result {
    if (depth > 0) return work()
    writing(() => connection.exec('BEGIN IMMEDIATE'))
    depth = 1
    try {
      const result = work()
      writing(() => connection.exec('COMMIT'))
      return result
    } catch (error) {
      // SQLite has rolled back by itself after some errors (a full disk).
      if (connection.isTransaction) connection.exec('ROLLBACK')
      throw error
    } finally {
      depth = 0
    }
  }

  return {
    run: (sql, ...values) => writing(() => Number(prepared(sql).run(...values).changes)),
    // Columns are ours and STRICT: the shape asked for is the shape of the query.
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a query's shape is known where it is written
    get: <Row>(sql: string, ...values: Value[]) => guarded(() => prepared(sql).get(...values) as Row | undefined),
    all: <Row>(sql: string, ...values: Value[]) => guarded(() => prepared(sql).all(...values) as unknown as Row[]),
    exec: (sql) => writing(() => connection.exec(sql)),
    transaction,
    brief: (work) => {
      connection.exec(`PRAGMA busy_timeout = ${String(BRIEF_TIMEOUT_MS)}`)
      try {
        return transaction(work)
      } finally {
        connection.exec(`PRAGMA busy_timeout = ${String(BUSY_TIMEOUT_MS)}`)
      }
    },
    close: () => {
      statements.clear()
      connection.close()
    },
  }
}
