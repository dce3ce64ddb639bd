import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SpeedgridError } from '../../shared/model/error.ts'
import { createStore } from './create-store.ts'
import { hello, newRun, spoolLines } from './spool-lines.testing.ts'

const plan = { contexts: [0], concurrency: [1] }
let root: string
let dataDir: string
let file: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'speedgrid-damage-'))
  dataDir = join(root, 'data')
  file = join(dataDir, 'history.db')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function history(folder: string, runs = 200): void {
  const store = createStore({ dataDir: folder })
  for (let at = 0; at < runs; at += 1) store.runs.create(newRun(`r${String(at)}`, plan, { launchCommand: 'x'.repeat(500) }))
  store.runs.appendLines('r0', spoolLines([hello('r0')]))
  store.dispose()
}

/** What there is in the folder; what SQLite makes for reading along (-shm, an empty -wal) says nothing. */
const contents = () =>
  readdirSync(dataDir)
    .filter((name) => !name.endsWith('-shm') && statSync(join(dataDir, name)).size > 0)
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(dataDir, name)))
        .digest('hex'),
    ])

function refused(): SpeedgridError {
  const before = contents()
  try {
    createStore({ dataDir }).dispose()
  } catch (error) {
    expect(contents()).toEqual(before)
    if (error instanceof SpeedgridError) return error
    throw error
  }
  throw new Error('the damaged history was opened')
}

function expectDamage(error: SpeedgridError, evidence: RegExp): void {
  expect(error.code).toBe('conflict')
  expect(error.message).toMatch(/history/)
  expect(error.evidence.join(' ')).toMatch(evidence)
  expect(error.evidence.join(' ')).toContain(file)
  expect(error.nextStep).toContain('--data-dir')
}

test('cut short, at a page and within one', () => {
  history(dataDir)
  const whole = statSync(file).size
  for (const bytes of [whole - 4096, whole - 1000, 4096, 2000]) {
    copyFileSync(file, join(root, 'whole'))
    truncateSync(file, bytes)
    expectDamage(refused(), /cut short|malformed|database/)
    copyFileSync(join(root, 'whole'), file)
  }
})

test('a page of garbage: said with what SQLite found, and how to recover', () => {
  history(dataDir)
  const bytes = readFileSync(file)
  bytes.fill(0xa5, 4096 * 40, 4096 * 41)
  writeFileSync(file, bytes)
  const error = refused()
  expectDamage(error, /quick_check/)
  expect(error.nextStep).toContain('.recover')
})

test('no database at all', () => {
  history(dataDir)
  for (const text of ['just some text that somebody has put there\n'.repeat(100), 'x', 'SQLite format 2\0'.padEnd(4096, 'y')]) {
    writeFileSync(file, text)
    expectDamage(refused(), /file is not a database|malformed/)
  }
})

test('the log of another history beside it is not copied into it', () => {
  history(dataDir)
  const other = join(root, 'other')
  history(other, 900)
  // Left behind by a program that was killed: the log is only beside a connection that is open.
  const writer = new DatabaseSync(join(other, 'history.db'))
  writer.exec('PRAGMA wal_autocheckpoint = 0; DELETE FROM runs WHERE rowid > 600')
  copyFileSync(join(other, 'history.db-wal'), `${file}-wal`)
  writer.close()
  expectDamage(refused(), /quick_check|malformed|schema/)
})

test('a log that is gone takes what was only in it, and nothing else', () => {
  history(dataDir)
  const writer = new DatabaseSync(file)
  writer.exec("PRAGMA wal_autocheckpoint = 0; UPDATE runs SET name = 'new'")
  const copy = join(root, 'copy')
  cpSync(dataDir, copy, { recursive: true })
  writer.close()
  rmSync(join(copy, 'history.db-wal'))
  rmSync(join(copy, 'history.db-shm'), { force: true })
  const store = createStore({ dataDir: copy })
  expect(store.runs.find('r7').name).toBe('run r7')
  store.dispose()
})

test('a newer schema is not touched', () => {
  history(dataDir)
  const newer = new DatabaseSync(file)
  newer.exec('PRAGMA user_version = 99; PRAGMA journal_mode = DELETE')
  newer.close()
  const error = refused()
  expect(error.message).toContain('newer Speedgrid')
  expect(error.evidence.join()).toContain(file)
})

test('damage that shows only later: nothing more is written', () => {
  history(dataDir, 20)
  const store = createStore({ dataDir })
  const bytes = readFileSync(file)
  bytes.fill(0xa5, 4096)
  writeFileSync(file, bytes)
  expect(() => store.runs.document('r3')).toThrow(/damaged/)
  const before = contents()
  expect(() => store.runs.rename('r3', 'x')).toThrow(/damaged/)
  expect(() => store.runs.create(newRun('new', plan))).toThrow(/damaged/)
  store.dispose()
  expect(contents()).toEqual(before)
})

test('what sqlite3 recovers is a history again', (context) => {
  const sqlite3 = ['/usr/bin/sqlite3', '/usr/local/bin/sqlite3'].find((path) => existsSync(path))
  if (sqlite3 === undefined) {
    context.skip('no sqlite3 on this machine')
    return
  }
  const whole = join(root, 'whole.db')
  execFileSync(sqlite3, [whole, 'CREATE TABLE a (b)'])
  // Debian's 3.40 was built without the table that .recover reads.
  const probe = spawnSync(sqlite3, [whole, '.recover'])
  if (probe.status !== 0) context.skip(`its .recover does not work here: ${probe.stderr.toString().trim()}`)
  history(dataDir)
  const bytes = readFileSync(file)
  bytes.fill(0xa5, 4096 * 40, 4096 * 41)
  writeFileSync(file, bytes)
  const sql = execFileSync(sqlite3, [file, '.recover'], { maxBuffer: 1 << 28 })
  rmSync(file)
  execFileSync(sqlite3, [file], { input: sql })
  const store = createStore({ dataDir })
  expect(store.runs.count({})).toBeGreaterThan(100)
  store.dispose()
})
