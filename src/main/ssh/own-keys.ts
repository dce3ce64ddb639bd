import { readFileSync } from 'node:fs'
import { fingerprintOf, parseKnownHosts } from './known-hosts.ts'
import { replaceLines } from './own-known-hosts.ts'

/** A line of our own known_hosts. */
export interface RecordedKey {
  line: string
  host: string
  keyType: string
  fingerprint: string
}

/** The keys we have recorded ourselves, in the order of the file. Lines that are no keys are left out. */
export function listRecordedKeys(path: string): RecordedKey[] {
  return readText(path)
    .split('\n')
    .flatMap((raw) => {
      const line = raw.trim()
      const entry = parseKnownHosts(line, path).keys[0]
      if (entry === undefined) return []
      const host = 'patterns' in entry.names ? entry.names.patterns.join(',') : '(hashed)'
      return [{ line, host, keyType: entry.keyType, fingerprint: fingerprintOf(entry.key) }]
    })
}

/** Takes exactly this line out of our file. False where it isn't there. */
export function forgetRecordedKey(path: string, line: string): boolean {
  const lines = readText(path)
    .split('\n')
    .filter((one) => one.trim() !== '')
  const kept = lines.filter((one) => one.trim() !== line.trim())
  if (kept.length === lines.length) return false
  replaceLines(path, kept)
  return true
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
