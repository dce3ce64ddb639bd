import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintOf, judgeKey, keyTypeOf, knownHostsName, knownKeyTypes, parseKnownHosts } from './known-hosts.ts'
import { recordKey } from './own-known-hosts.ts'
import { matchesPattern, matchesPatternList } from './patterns.ts'

function blob(
  type: string,
  body = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32),
): Buffer {
  const length = (bytes: Buffer) => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(bytes.length)
    return Buffer.concat([head, bytes])
  }
  return Buffer.concat([length(Buffer.from(type)), length(body)])
}
const line = (names: string, key: Buffer, marker = '') =>
  `${marker}${names} ${keyTypeOf(key)} ${key.toString('base64')} a comment`
const A = blob('ssh-ed25519')
const B = blob('ssh-ed25519')
const RSA = blob('ssh-rsa')
const hasKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined
const state = (text: string, names: string[], key: Buffer) => judgeKey(parseKnownHosts(text, 'f'), names, key).state

describe('known_hosts', () => {
  it('tells known, changed and unknown apart', () => {
    const text = line('gpu-1,10.0.0.1', A)
    expect(state(text, ['gpu-1'], A)).toBe('known')
    expect(state(text, ['10.0.0.1'], A)).toBe('known')
    expect(state(text, ['gpu-1'], B)).toBe('changed')
    expect(state(text, ['gpu-2'], A)).toBe('unknown')
    expect(judgeKey(parseKnownHosts(text, 'f'), ['gpu-1'], B)).toEqual({
      state: 'changed',
      fingerprint: fingerprintOf(B),
      known: [{ keyType: 'ssh-ed25519', fingerprint: fingerprintOf(A), source: 'f:1' }],
    })
  })

  it('counts a key of another type than the recorded one as changed, and asks for the recorded type', () => {
    const hosts = parseKnownHosts(line('gpu-1', RSA), 'f')
    expect(judgeKey(hosts, ['gpu-1'], A).state).toBe('changed')
    expect(knownKeyTypes(hosts, ['gpu-1'])).toEqual(['ssh-rsa'])
    expect(state(`${line('gpu-1', RSA)}\n${line('gpu-1', A)}`, ['gpu-1'], A)).toBe('known')
  })

  it('refuses revoked keys, wherever they stand and whatever else knows them', () => {
    const text = `${line('gpu-1', A)}\n${line('*', A, '@revoked ')}`
    expect(state(text, ['gpu-1'], A)).toBe('revoked')
    expect(state(text, ['gpu-1'], B)).toBe('changed')
    expect(state(line('*', A, '@revoked '), ['gpu-1'], B)).toBe('unknown')
  })

  it('tells ports apart, and lets the bare name make a key known but never changed', () => {
    expect(knownHostsName('GPU-1', 22)).toBe('gpu-1')
    const names = [knownHostsName('GPU-1', 2222), 'gpu-1']
    expect(names[0]).toBe('[gpu-1]:2222')
    expect(state(line('[gpu-1]:2222', A), names, A)).toBe('known')
    expect(state(line('[gpu-1]:2222', A), ['gpu-1'], A)).toBe('unknown')
    expect(state(line('gpu-1', A), names, A)).toBe('known')
    expect(state(line('gpu-1', A), names, B)).toBe('unknown')
    expect(state(`${line('[gpu-1]:2222', A)}\n${line('gpu-1', B)}`, names, B)).toBe('changed')
  })

  it('understands wildcards and negation', () => {
    const text = line('*.lab,!evil.lab,gpu-?', A)
    expect(state(text, ['a.lab'], A)).toBe('known')
    expect(state(text, ['evil.lab'], A)).toBe('unknown')
    expect(state(text, ['gpu-7'], A)).toBe('known')
    expect(state(text, ['gpu-77'], A)).toBe('unknown')
    expect(state(line('*.LAB', A), ['x.lab'], A)).toBe('known')
  })

  it('notes what it does not use: authorities, unknown markers, broken lines', () => {
    const broken = 'gpu-1 ssh-ed25519'
    const lying = `gpu-1 ssh-rsa ${A.toString('base64')}`
    const { keys, notes } = parseKnownHosts(
      ['# comment', '', line('*', A, '@cert-authority '), line('*', A, '@new '), broken, lying, '|2|x|y ssh-rsa AAAA'].join(
        '\r\n',
      ),
      'file',
    )
    expect(keys).toEqual([])
    expect(notes.map((note) => note.split(':')[1])).toEqual(['3', '4', '5', '6', '7'])
    expect(notes[0]).toMatch(/certificate authorities/)
  })

  it.skipIf(!hasKeygen)('agrees with ssh-keygen: hashed names and fingerprints', () => {
    const folder = mkdtempSync(join(tmpdir(), 'speedgrid-known-'))
    try {
      const path = join(folder, 'known_hosts')
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')])
      const [type, encoded] = readFileSync(join(folder, 'key.pub'), 'utf8').split(' ')
      const key = Buffer.from(encoded ?? '', 'base64')
      writeFileSync(path, `plain.lab ${type} ${encoded}\n[odd.lab]:2200 ${type} ${encoded}\n10.1.2.3 ${type} ${encoded}\n`)
      execFileSync('ssh-keygen', ['-q', '-H', '-f', path], { stdio: 'ignore' })
      const text = readFileSync(path, 'utf8')
      expect(text).not.toContain('lab')
      for (const name of ['plain.lab', '[odd.lab]:2200', '10.1.2.3']) {
        expect(state(text, [name], key)).toBe('known')
        expect(state(text, [name], A)).toBe('changed')
      }
      expect(state(text, ['other.lab'], key)).toBe('unknown')
      expect(execFileSync('ssh-keygen', ['-l', '-f', join(folder, 'key.pub')]).toString()).toContain(fingerprintOf(key))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('never throws on any text, and never makes an unrecorded key known', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('@revoked', '@cert-authority', '|1|', 'gpu-1', ' ', '\n', 'ssh-ed25519', 'AAAA', '!', '*', '[', ']:22'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(['unknown', 'changed']).toContain(state(parts.join(' '), ['gpu-1'], A))
      }),
    )
  })

  it('matches patterns as a regular expression of the same meaning does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-'), maxLength: 12 })
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 8 })
    fc.assert(
      fc.property(letters, pattern, (text, glob) => {
        const expression = new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`)
        expect(matchesPattern(text, glob)).toBe(expression.test(text))
        expect(matchesPatternList(text, [glob, `!${text}`])).toBe(false)
      }),
    )
    expect(matchesPattern('a'.repeat(5000), `${'*a'.repeat(40)}b`)).toBe(false)
  })
})

describe('our own known_hosts', () => {
  it('adds keys, replaces only when told to, and stays private', () => {
    const folder = mkdtempSync(join(tmpdir(), 'speedgrid-own-'))
    try {
      const path = join(folder, 'data', 'known_hosts')
      recordKey(path, 'gpu-1', A, { replace: false })
      recordKey(path, '[gpu-2]:2222', A, { replace: false })
      recordKey(path, 'gpu-1', RSA, { replace: false })
      recordKey(path, 'gpu-1', RSA, { replace: false })
      expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(3)
      recordKey(path, 'gpu-1', B, { replace: true })
      const text = readFileSync(path, 'utf8')
      expect(text.trim().split('\n')).toHaveLength(2)
      expect(state(text, ['gpu-1'], B)).toBe('known')
      expect(state(text, ['gpu-1'], A)).toBe('changed')
      expect(state(text, ['[gpu-2]:2222'], A)).toBe('known')
      expect(statSync(path).mode & 0o777).toBe(0o600)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
