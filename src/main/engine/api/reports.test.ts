import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fullRun } from '../../../../test/published-runs.ts'
import type { Store } from '../../store/index.ts'
import { createReportsApi } from './reports.ts'
import { createVouchedPaths } from './vouched-paths.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'speedgrid-reports-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = fullRun()
const store = { runs: { find: () => run, document: () => run } } as unknown as Store
const places = { store, platform: process.platform, env: {} }

test('a report is written only to a file that the shell vouches for, once for each time it was chosen', async () => {
  const vouched = createVouchedPaths()
  const api = createReportsApi({ ...places, vouched })
  const path = join(folder, 'report.md')
  const write = (to: string) => api.write({ runId: run.id, format: 'md', path: to })
  await expect(write(path)).rejects.toMatchObject({ code: 'usage', nextStep: expect.stringContaining('choose') as string })
  vouched.vouch(path)
  for (const other of [join(folder, 'other.md'), '/etc/passwd', 'report.md']) {
    await expect(write(other), other).rejects.toMatchObject({ code: 'usage' })
  }
  await write(path)
  expect(readFileSync(path, 'utf8')).toContain(run.name)
  rmSync(path)
  await expect(write(path)).rejects.toMatchObject({ code: 'usage' })
  expect(existsSync(path)).toBe(false)
})

test('behind a browser page none is written', async () => {
  const api = createReportsApi({ ...places, vouched: undefined })
  await expect(api.write({ runId: run.id, format: 'md', path: join(folder, 'x.md') })).rejects.toMatchObject({ code: 'usage' })
})
