// Stores one line, takes the lease, then stops in the middle of a transaction until it is killed (create-store.test.ts).
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStore } from './create-store.ts'
import { hello, spoolLines } from './spool-lines.testing.ts'

const dataDir = process.argv[2] ?? ''
const store = createStore({ dataDir })
store.runs.takeLease('r1')
store.runs.appendLines('r1', spoolLines([hello('r1')]))
store.dispose()

const connection = new DatabaseSync(join(dataDir, 'history.db'))
// Small caches make SQLite write uncommitted pages into the WAL.
connection.exec('PRAGMA cache_size = 1; BEGIN IMMEDIATE')
const insert = connection.prepare("INSERT INTO spool VALUES ('r1', ?, 'event', 0, ?)")
for (let n = 2; n < 200; n++) insert.run(n, 'x'.repeat(5000))
connection.exec("UPDATE runs SET last_line = 199 WHERE id = 'r1'")
process.stdout.write('in the middle\n')
setInterval(() => connection.isOpen, 1000)
