import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { alteredBundles, checkedStarter } from './bundle-sums.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'speedgrid-sums-'))
  mkdirSync(join(root, 'out/main'), { recursive: true })
  writeFileSync(join(root, 'out/main/engine-host.js'), 'as built')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const sums = { 'out/main/engine-host.js': createHash('sha256').update('as built').digest('hex') }

it('names bundles that are missing or other than built', () => {
  expect(alteredBundles(root, sums)).toEqual([])
  writeFileSync(join(root, 'out/main/engine-host.js'), 'as built ')
  expect(alteredBundles(root, sums)).toEqual(['out/main/engine-host.js'])
  rmSync(join(root, 'out/main/engine-host.js'))
  expect(alteredBundles(root, sums)).toEqual(['out/main/engine-host.js'])
})

it('an altered engine is not started, and that is said', async () => {
  const start = vi.fn(() => ({ send: () => {}, kill: () => {} }))
  const events = { message: vi.fn(), complaint: vi.fn(), exit: vi.fn() }
  checkedStarter(start, () => [])(events)
  expect(start).toHaveBeenCalledTimes(1)
  checkedStarter(start, () => ['out/driver/driver.mjs'])(events)
  await vi.waitFor(() => expect(events.exit).toHaveBeenCalledWith('not started'))
  expect(start).toHaveBeenCalledTimes(1)
  expect(events.message).toHaveBeenCalledWith({
    kind: 'failed',
    error: expect.objectContaining({ evidence: ['out/driver/driver.mjs'] }) as object,
  })
})
