import { describe, expect, it } from 'vitest'
import { availableCrypto, chooseAlgorithms } from './algorithms.ts'

const lists = (chosen: ReturnType<typeof chooseAlgorithms>) => Object.values(chosen).flatMap((list) => list as string[])

describe('algorithms', () => {
  it('offers no SHA-1 and no CBC', () => {
    const all = lists(chooseAlgorithms(availableCrypto()))
    expect(all.length).toBeGreaterThan(15)
    expect(all.filter((name) => /cbc|sha1|^ssh-rsa$|md5|arcfour|dss/.test(name))).toEqual([])
  })

  it('lists nothing that a BoringSSL-like library lacks', () => {
    const boring = {
      ciphers: ['aes-128-cbc', 'aes-128-ctr', 'aes-256-ctr', 'aes-128-gcm', 'aes-256-gcm'],
      hashes: ['sha1', 'sha256', 'sha384', 'sha512'],
      curves: ['prime256v1', 'secp384r1'],
      keyTypes: ['x25519'],
    }
    const chosen = chooseAlgorithms(boring)
    expect(chosen.cipher).toEqual(['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'])
    expect(chosen.serverHostKey).toEqual(['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'rsa-sha2-512', 'rsa-sha2-256'])
    expect(chosen.kex).not.toContain('ecdh-sha2-nistp521')
    expect(chosen.kex).toContain('curve25519-sha256')
  })

  it('asks for the key types that are known first, and keeps the rest', () => {
    const chosen = chooseAlgorithms(availableCrypto(), ['ssh-rsa'])
    expect((chosen.serverHostKey as string[]).slice(0, 3)).toEqual(['rsa-sha2-512', 'rsa-sha2-256', 'ssh-ed25519'])
  })

  it('refuses to fall back to the library defaults', () => {
    expect(() => chooseAlgorithms({ ciphers: [], hashes: [], curves: [], keyTypes: [] })).toThrow(/no acceptable/)
  })
})
