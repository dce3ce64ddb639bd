import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { matchesPatternList } from './patterns.ts'

/** A line of known_hosts that names a key. */
interface KnownKey {
  /** Patterns, or one hashed name. */
  names: { patterns: string[] } | { salt: Buffer; hash: Buffer }
  keyType: string
  key: Buffer
  revoked: boolean
  /** file:line, for evidence. */
  source: string
}

interface KnownHosts {
  keys: KnownKey[]
  /** Lines that are not used, and why. */
  notes: string[]
}

export type KeyVerdict =
  | { state: 'known'; fingerprint: string }
  | { state: 'unknown'; fingerprint: string }
  /** `known`: what is recorded for this host instead, with the lines. */
  | { state: 'changed' | 'revoked'; fingerprint: string; known: { keyType: string; fingerprint: string; source: string }[] }

/** The name under which a key is recorded: a bare name for port 22, `[name]:port` otherwise, always in lower case. */
export function knownHostsName(hostName: string, port: number): string {
  const lower = hostName.toLowerCase()
  return port === 22 ? lower : `[${lower}]:${port}`
}

/** `SHA256:…` as ssh-keygen -l shows it. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256')
    .update(key)
    .digest('base64')
    .replace(/(?<!=)=+$/, '')}`
}

/** The type that a public key blob names itself; empty where it is no key blob. */
export function keyTypeOf(key: Buffer): string {
  if (key.length < 4) return ''
  const length = key.readUInt32BE(0)
  return length > 0 && length <= 64 && key.length >= 4 + length ? key.toString('latin1', 4, 4 + length) : ''
}

/** Reads files in order; absent ones are empty. */
export function readKnownHosts(paths: readonly string[]): KnownHosts {
  const all: KnownHosts = { keys: [], notes: [] }
  for (const path of paths) {
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      continue
    }
    const parsed = parseKnownHosts(text, path)
    all.keys.push(...parsed.keys)
    all.notes.push(...parsed.notes)
  }
  return all
}

export function parseKnownHosts(text: string, source: string): KnownHosts {
  const result: KnownHosts = { keys: [], notes: [] }
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const where = `${source}:${index + 1}`
    const words = line.split(/[ \t]+/)
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined
    if (marker === '@cert-authority') {
      result.notes.push(`${where}: certificate authorities are not supported; the line is not used.`)
      continue
    }
    const [host, keyType, encoded] = words
    const key = encoded === undefined ? undefined : Buffer.from(encoded, 'base64')
    const names = host === undefined ? undefined : parseNames(host)
    const isKnownMarker = marker === undefined || marker === '@revoked'
    if (!isKnownMarker || !names || keyType === undefined || !key || keyTypeOf(key) !== keyType) {
      result.notes.push(`${where}: not understood; the line is not used.`)
      continue
    }
    result.keys.push({ names, keyType, key, revoked: marker === '@revoked', source: where })
  }
  return result
}

function parseNames(text: string): KnownKey['names'] | undefined {
  if (!text.startsWith('|')) return { patterns: text.split(',').map((pattern) => pattern.toLowerCase()) }
  const [, version, salt, hash] = text.split('|')
  if (version !== '1' || salt === undefined || hash === undefined) return undefined
  return { salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

function isFor(entry: KnownKey, name: string): boolean {
  if ('patterns' in entry.names) return matchesPatternList(name, entry.names.patterns)
  const mac = createHmac('sha1', entry.names.salt).update(name).digest()
  return mac.length === entry.names.hash.length && timingSafeEqual(mac, entry.names.hash)
}

/** Key types recorded for a host, to be asked for first in the handshake. */
export function knownKeyTypes(hosts: KnownHosts, names: readonly string[]): string[] {
  const types = hosts.keys
    .filter((entry) => !entry.revoked && names.some((name) => isFor(entry, name)))
    .map((entry) => entry.keyType)
  return [...new Set(types)]
}

/**
 * How a key stands to what is recorded. `names`: the host's name with its port first; further names (the bare one of a host on
 * another port) can only make a key known, never changed, as in OpenSSH. A key of a type never recorded, for a host known under
 * another type, counts as changed: the known type was asked for first and not shown.
 */
export function judgeKey(hosts: KnownHosts, names: readonly string[], key: Buffer): KeyVerdict {
  const fingerprint = fingerprintOf(key)
  const describe = (entry: KnownKey) => ({ keyType: entry.keyType, fingerprint: fingerprintOf(entry.key), source: entry.source })
  const relevant = hosts.keys.filter((entry) => names.some((name) => isFor(entry, name)))
  const revoked = relevant.filter((entry) => entry.revoked && entry.key.equals(key))
  if (revoked.length > 0) return { state: 'revoked', fingerprint, known: revoked.map(describe) }
  const valid = relevant.filter((entry) => !entry.revoked)
  const first = names[0]
  const exact = valid.filter((entry) => first !== undefined && isFor(entry, first))
  const candidates = exact.length > 0 ? exact : valid
  if (candidates.some((entry) => entry.key.equals(key))) return { state: 'known', fingerprint }
  return exact.length > 0 ? { state: 'changed', fingerprint, known: exact.map(describe) } : { state: 'unknown', fingerprint }
}
