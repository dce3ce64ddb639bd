import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fingerprintOf } from './known-hosts.ts'
import { forgetRecordedKey, listRecordedKeys } from './own-keys.ts'
import { recordKey } from './own-known-hosts.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'speedgrid-keys-'))
  path = join(folder, 'known_hosts')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const key = (fill: number) => Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.alloc(36, fill)])

test('recorded keys are listed, and forgotten one by one', () => {
  expect(listRecordedKeys(path)).toEqual([])
  recordKey(path, '[lab]:2222', key(1), { replace: false })
  recordKey(path, 'other', key(2), { replace: false })
  writeFileSync(path, `${readFileSync(path, 'utf8')}# a remark\nnot a key\n`)
  const [first, second] = listRecordedKeys(path)
  expect(first).toEqual({
    line: expect.stringMatching(/^\[lab\]:2222 ssh-ed25519 /) as string,
    host: '[lab]:2222',
    keyType: 'ssh-ed25519',
    fingerprint: fingerprintOf(key(1)),
  })
  expect(forgetRecordedKey(path, first?.line ?? '')).toBe(true)
  expect(forgetRecordedKey(path, first?.line ?? '')).toBe(false)
  expect(listRecordedKeys(path)).toEqual([second])
  expect(readFileSync(path, 'utf8')).toContain('# a remark')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})
