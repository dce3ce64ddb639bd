import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SpeedgridError } from '../../shared/model/error.ts'
import { makeFolder } from './make-folder.ts'
import { openDatabase } from './open-database.ts'

test('makes what is missing, private', ({ onTestFinished }) => {
  const root = mkdtempSync(join(tmpdir(), 'speedgrid-folder-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  makeFolder(join(root, 'a', 'b'))
  makeFolder(join(root, 'a', 'b'))
  for (const made of ['a', 'a/b']) expect(statSync(join(root, made)).mode & 0o777).toBe(0o700)
})

test.runIf(existsSync('/proc/self'))('a data folder where none can be is an error for people, at once', () => {
  expect(() => openDatabase('/proc/nowhere/speedgrid')).toThrow(SpeedgridError)
  expect(() => openDatabase('/proc/nowhere/speedgrid')).toThrow(/data folder/)
})
