import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeSettingsInput } from '../../../shared/contract/app.ts'
import { createStore, type Store } from '../../store/index.ts'
import { newRun } from '../../store/spool-lines.testing.ts'
import { logFailure } from '../log/index.ts'
import { diagnosticsOf } from './diagnostics.ts'
import { changeSettings, readSettings } from './settings.ts'

let root: string
let dataDir: string
let store: Store
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'speedgrid-app-'))
  dataDir = join(root, 'data')
  mkdirSync(dataDir)
  store = createStore({ dataDir })
})
afterEach(() => {
  store.dispose()
  rmSync(root, { recursive: true, force: true })
})
const change = (input: unknown) => changeSettings(store.settings, changeSettingsInput.parse(input))

test('settings: what is absent stays, null takes the baseline away, what no longer fits counts as not set', () => {
  expect(readSettings(store.settings)).toEqual({ appearance: 'system', sendNode: false })
  expect(change({ sendNode: true, baselineRunId: 'r1' })).toEqual({ appearance: 'system', sendNode: true, baselineRunId: 'r1' })
  expect(change({ appearance: 'dark' })).toEqual({ appearance: 'dark', sendNode: true, baselineRunId: 'r1' })
  expect(change({ baselineRunId: null })).toEqual({ appearance: 'dark', sendNode: true })
  store.settings.change({ appearance: 'sepia', unknown: 1 })
  expect(readSettings(store.settings)).toEqual({ appearance: 'system', sendNode: true })
  expect(() => change({ colour: 'red' })).toThrow('colour')
})

test('diagnostics hold what a bug report needs, and no secret that was planted anywhere', () => {
  const secrets = {
    hf: 'hf_PlantedTokenValue123',
    key: 'sk-planted-api-key-0123456789',
    password: 'planted-password-1',
    plain: 'plantedplainvalue42',
    user: 'planted-user',
    note: 'planted note text',
  }
  logFailure(dataDir, new Error(`Authorization: Bearer ${secrets.plain} was refused`), 'test')
  appendFileSync(join(dataDir, 'speedgrid.log'), `HF_TOKEN=${secrets.hf} vllm serve m --api-key ${secrets.key}\n`)
  appendFileSync(join(dataDir, 'speedgrid.log'), `connecting to ssh://someone:${secrets.password}@lab\n`)
  appendFileSync(join(dataDir, 'speedgrid.log'), `{"apiKey":"${secrets.plain}"} in ${root}/models\n`)
  writeFileSync(join(dataDir, 'serve.sock.note'), secrets.password)
  store.runs.create(newRun('r1', { contexts: [0], concurrency: [1] }))
  store.runs.setNote('r1', secrets.note)
  store.launches.save({ id: 'l', name: 'L', command: `vllm serve m # ${secrets.plain}` })
  const { text, fileName } = diagnosticsOf({
    info: { version: '1.2.3', nodeVersion: '24.0.0', dataDir, platform: 'linux' },
    settings: readSettings(store.settings),
    hosts: [
      {
        host: {
          name: 'lab',
          address: '10.0.0.7',
          user: secrets.user,
          identityFile: `/home/${secrets.user}/.ssh/id`,
          demo: false,
          addedAt: '2026-03-01T10:00:00.000Z',
        },
        connection: 'failed',
        reason: `tried with password=${secrets.password}`,
      },
    ],
    engine: { store },
    nowMs: Date.parse('2026-03-01T10:00:00Z'),
    homeDir: root,
  })
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
  expect(fileName).toBe('speedgrid-diagnostics-2026-03-01-10-00-00.txt')
  for (const part of [
    'version 1.2.3',
    'lab: failed',
    '1 runs (1 planned)',
    'history.db',
    'was refused',
    '$HOME/models',
    '<redacted>',
  ]) {
    expect(text).toContain(part)
  }
})

test('a long log is cut to its end', () => {
  appendFileSync(
    join(dataDir, 'speedgrid.log'),
    Array.from({ length: 5000 }, (_, index) => `line ${String(index)} ${'x'.repeat(50)}\n`).join(''),
  )
  const { text } = diagnosticsOf({
    info: { version: '1', nodeVersion: '24', dataDir, platform: 'linux' },
    settings: readSettings(store.settings),
    hosts: [],
    engine: { store },
    nowMs: 0,
    homeDir: root,
  })
  expect(text).toContain('line 4999')
  expect(text.match(/^line \d+ x{50}$/gm)?.length).toBe(200)
})
