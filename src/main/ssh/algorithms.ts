import { generateKeyPairSync, getCiphers, getCurves, getHashes } from 'node:crypto'
import type { Algorithms } from 'ssh2'
import { SpeedgridError } from '../../shared/model/error.ts'

/** What the crypto library in use can do. Electron's BoringSSL can do less than Node's OpenSSL. */
interface AvailableCrypto {
  ciphers: readonly string[]
  hashes: readonly string[]
  curves: readonly string[]
  /** Which of x25519 and ed25519 work; no list of names tells. */
  keyTypes: readonly string[]
}
type Needs = Partial<Record<keyof AvailableCrypto, string>>

/** The library's defaults without SHA-1 and CBC, each with what it needs; the order is the preference. */
const KEX: [name: string, needs: Needs][] = [
  ['curve25519-sha256', { keyTypes: 'x25519', hashes: 'sha256' }],
  ['curve25519-sha256@libssh.org', { keyTypes: 'x25519', hashes: 'sha256' }],
  ['ecdh-sha2-nistp256', { curves: 'prime256v1', hashes: 'sha256' }],
  ['ecdh-sha2-nistp384', { curves: 'secp384r1', hashes: 'sha384' }],
  ['ecdh-sha2-nistp521', { curves: 'secp521r1', hashes: 'sha512' }],
  ['diffie-hellman-group-exchange-sha256', { hashes: 'sha256' }],
  ['diffie-hellman-group14-sha256', { hashes: 'sha256' }],
  ['diffie-hellman-group16-sha512', { hashes: 'sha512' }],
  ['diffie-hellman-group18-sha512', { hashes: 'sha512' }],
]
const CIPHERS: [string, string][] = [
  ['aes128-gcm@openssh.com', 'aes-128-gcm'],
  ['aes256-gcm@openssh.com', 'aes-256-gcm'],
  ['aes128-ctr', 'aes-128-ctr'],
  ['aes192-ctr', 'aes-192-ctr'],
  ['aes256-ctr', 'aes-256-ctr'],
  ['chacha20-poly1305@openssh.com', 'chacha20'],
]
const MACS: [string, string][] = [
  ['hmac-sha2-256-etm@openssh.com', 'sha256'],
  ['hmac-sha2-512-etm@openssh.com', 'sha512'],
  ['hmac-sha2-256', 'sha256'],
  ['hmac-sha2-512', 'sha512'],
]
/** Signature algorithm → the key type that known_hosts records for it. `ssh-rsa` (SHA-1) is not offered. */
const HOST_KEYS: [name: string, keyType: string, needs: Needs][] = [
  ['ssh-ed25519', 'ssh-ed25519', { keyTypes: 'ed25519' }],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp256', { curves: 'prime256v1', hashes: 'sha256' }],
  ['ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp384', { curves: 'secp384r1', hashes: 'sha384' }],
  ['ecdsa-sha2-nistp521', 'ecdsa-sha2-nistp521', { curves: 'secp521r1', hashes: 'sha512' }],
  ['rsa-sha2-512', 'ssh-rsa', { hashes: 'sha512' }],
  ['rsa-sha2-256', 'ssh-rsa', { hashes: 'sha256' }],
]

export function availableCrypto(): AvailableCrypto {
  return {
    ciphers: getCiphers(),
    hashes: getHashes(),
    curves: getCurves(),
    keyTypes: [canMake25519('x25519'), canMake25519('ed25519')].flat(),
  }
}

/**
 * What we offer. Host-key algorithms of a type that is already known for the host come first, so that a server with several keys
 * shows the one we can compare, as OpenSSH does. Names must match exactly: the library refuses what it doesn't find itself.
 * Throws `internal` where the crypto library leaves nothing to offer.
 */
export function chooseAlgorithms(available: AvailableCrypto, knownKeyTypes: readonly string[] = []): Algorithms {
  const has = (needs: Needs) =>
    Object.entries(needs).every(([kind, name]) => available[kind as keyof AvailableCrypto].includes(name))
  const hostKeys = HOST_KEYS.filter(([, , needs]) => has(needs))
  const known = hostKeys.filter(([, keyType]) => knownKeyTypes.includes(keyType))
  const others = hostKeys.filter((entry) => !known.includes(entry))
  const chosen = {
    kex: KEX.filter(([, needs]) => has(needs)).map(([name]) => name),
    cipher: CIPHERS.filter(([, needs]) => available.ciphers.includes(needs)).map(([name]) => name),
    hmac: MACS.filter(([, needs]) => available.hashes.includes(needs)).map(([name]) => name),
    serverHostKey: [...known, ...others].map(([name]) => name),
    compress: ['none'],
  }
  // An empty list would make the library fall back to its own defaults, SHA-1 among them.
  const empty = Object.entries(chosen).find(([, list]) => list.length === 0)
  if (empty)
    throw new SpeedgridError('internal', `This program's crypto library has no acceptable SSH algorithm for ${empty[0]}.`)
  return chosen as Algorithms
}

function canMake25519(type: 'x25519' | 'ed25519'): string[] {
  try {
    if (type === 'x25519') generateKeyPairSync('x25519')
    else generateKeyPairSync('ed25519')
    return [type]
  } catch {
    return []
  }
}
