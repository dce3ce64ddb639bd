import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createJsonFile } from '../system/json-file.ts'
import type { Keyring } from './keyring.ts'
import { createSecretStore, keptSecretsSchema } from './secret-store.ts'

/** Turns bytes around, so that what is on disk is not what was given. */
const working: Keyring = {
  refusal: () => undefined,
  encrypt: (text) => Promise.resolve(Buffer.from(text, 'utf8').reverse()),
  decrypt: (encrypted) => Promise.resolve(Buffer.from(encrypted).reverse().toString('utf8')),
}
const absent: Keyring = { ...working, refusal: () => 'Not stored: no keyring.' }
const broken: Keyring = {
  refusal: () => undefined,
  encrypt: () => Promise.reject(new Error('locked')),
  decrypt: () => Promise.reject(new Error('locked')),
}

describe('kept secrets', () => {
  let folder: string
  let path: string
  const storeWith = (keyring: Keyring) => createSecretStore({ file: createJsonFile(path, keptSecretsSchema), keyring })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'speedgrid-secrets-'))
    path = join(folder, 'secrets.json')
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('come back, are never plain on disk, and can be forgotten', async () => {
    const store = storeWith(working)
    expect(await store.keep('Password of lab', 'correct horse')).toBeUndefined()
    expect(await store.keep('Passphrase', 'battery')).toBeUndefined()
    expect(await storeWith(working).read('Password of lab')).toBe('correct horse')
    const onDisk = readFileSync(path, 'utf8')
    expect(onDisk).not.toContain('correct horse')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    store.forget('Password of lab')
    expect(store.names()).toEqual(['Passphrase'])
    expect(await store.read('Password of lab')).toBeUndefined()
  })

  it('are not written where there is no keyring, and it says so', async () => {
    const store = storeWith(absent)
    expect(await store.keep('Password of lab', 'correct horse')).toBe('Not stored: no keyring.')
    expect(() => readFileSync(path)).toThrow('ENOENT')
    expect(store.names()).toEqual([])
  })

  it('are as good as gone when the keyring does not open them', async () => {
    await storeWith(working).keep('Password of lab', 'correct horse')
    expect(await storeWith(broken).read('Password of lab')).toBeUndefined()
    expect(await storeWith(absent).read('Password of lab')).toBeUndefined()
    expect(await storeWith(broken).keep('x', 'y')).toContain('Not stored')
  })
})
