import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyTypeOf, parseKnownHosts } from './known-hosts.ts'

/**
 * Adds a key to our own known_hosts (0600, replaced as a whole so that nobody reads half a file). With `replace`, our older keys
 * for exactly this name go; without it they stay. The person's own files are never written.
 */
export function recordKey(path: string, name: string, key: Buffer, options: { replace: boolean }): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const kept = readLines(path).filter((line) => {
    const entry = parseKnownHosts(line, path).keys[0]
    if (!entry || entry.revoked || !('patterns' in entry.names)) return true
    if (!entry.names.patterns.includes(name)) return true
    return !options.replace && !entry.key.equals(key)
  })
  replaceLines(path, [...kept, `${name} ${keyTypeOf(key)} ${key.toString('base64')}`])
}

/** The whole file anew: 0600, and never half of it to be read. */
export function replaceLines(path: string, lines: readonly string[]): void {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(temporary, lines.map((line) => `${line}\n`).join(''), { mode: 0o600, flag: 'wx' })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
  } catch {
    return []
  }
}
