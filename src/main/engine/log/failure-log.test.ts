import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LOG_LIMIT_BYTES, logFailure, logPath } from './failure-log.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-log-'))
})
afterEach(() => {
  rmSync(dataDir, { recursive: true })
})

const entries = () => readFileSync(logPath(dataDir), 'utf8').trimEnd().split('\n')

/** A log at its limit, of entries that say which one it is. */
function fill(word: string): void {
  writeFileSync(logPath(dataDir), `${word}\n`.repeat(Math.ceil((LOG_LIMIT_BYTES + 1) / (word.length + 1))))
}

it('adds to what is there while that is within its limit', () => {
  const ids = [new Error('one'), 'two', undefined].map((error) => logFailure(dataDir, error, 'test').id)
  expect(entries().map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids)
  expect(readdirSync(dataDir)).toEqual(['speedgrid.log'])
})

it('begins anew where the log is full, and keeps one older one', () => {
  fill('first')
  const second = logFailure(dataDir, new Error('second'), 'test')
  expect(second.path).toBe(logPath(dataDir))
  expect(entries()).toEqual([expect.stringContaining(second.id)])
  expect(readFileSync(`${logPath(dataDir)}.1`, 'utf8')).toMatch(/^(first\n)+$/)
  expect(statSync(logPath(dataDir)).mode & 0o777).toBe(0o600)

  fill('third')
  const fourth = logFailure(dataDir, new Error('fourth'), 'test')
  expect(entries()).toEqual([expect.stringContaining(fourth.id)])
  expect(readFileSync(`${logPath(dataDir)}.1`, 'utf8')).toMatch(/^(third\n)+$/)
  expect(readdirSync(dataDir).sort()).toEqual(['speedgrid.log', 'speedgrid.log.1'])
})

it('cuts a text that would fill the log by itself, not in the middle of a secret', () => {
  const secret = 'sk-abcdefghijklmnopqrstuvwxyz'
  // The cut at 50,000 characters would leave the first twelve of them.
  const error = new Error(`${'x'.repeat(49_987)} ${secret} ${'y'.repeat(LOG_LIMIT_BYTES)}`)
  const { id } = logFailure(dataDir, error, 'test')
  const entry = JSON.parse(entries()[0] ?? '') as { id: string; message: string }
  expect(entry.id).toBe(id)
  expect(entry.message).toContain(`(${String(error.message.length)} characters)`)
  expect(statSync(logPath(dataDir)).size).toBeLessThan(200_000)
  expect(readFileSync(logPath(dataDir), 'utf8')).not.toContain('abcdefgh')
})
