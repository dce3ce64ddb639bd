import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fullRun } from '../../../test/published-runs.ts'
import { renderReport } from '../../shared/report/index.ts'
import { exportReport, writeExport } from './export-report.ts'
import { findChromium } from './find-chromium.ts'

const run = fullRun()
const here = { platform: process.platform, env: process.env }
const chromium = await findChromium(here)

let folder: string
let temporary: string
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'speedgrid-export-'))
  folder = join(root, 'out')
  temporary = join(root, 'tmp')
  for (const path of [folder, temporary]) mkdirSync(path)
  vi.stubEnv('TMPDIR', temporary)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})
/** What printing left in the folder for temporary files. */
const leftovers = () => readdirSync(temporary)

describe('findChromium', () => {
  it('takes the one that is named, or the first on the path, and nothing that cannot be run', async () => {
    const path = join(folder, 'google-chrome')
    writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(join(folder, 'chromium'), 'not executable', { mode: 0o644 })
    expect(await findChromium({ platform: 'linux', env: { SPEEDGRID_CHROMIUM: path } })).toBe(path)
    expect(
      await findChromium({ platform: 'linux', env: { SPEEDGRID_CHROMIUM: join(folder, 'gone'), PATH: folder } }),
    ).toBeUndefined()
    const found = await findChromium({ platform: 'linux', env: { PATH: folder } })
    expect([path, chromium]).toContain(found)
  })
})

describe('exportReport', () => {
  it('gives the same text as the preview, under a name of its own', async () => {
    const report = await exportReport(run, 'md', here)
    expect(report).toMatchObject({ mediaType: 'text/markdown; charset=utf-8', data: renderReport(run, 'md') })
    expect(report.fileName).toMatch(/\.md$/)
  })

  it('says what is missing where there is no browser', async () => {
    const none = { platform: 'linux' as const, env: { SPEEDGRID_CHROMIUM: join(folder, 'gone') } }
    await expect(exportReport(run, 'pdf', none)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('PDF') as string,
    })
  })

  it('gives the browser nothing of the environment that it does not need', async () => {
    const listing = join(folder, 'listing')
    const curious = join(folder, 'curious')
    writeFileSync(curious, `#!/bin/sh\nenv > '${listing}'\nexit 1\n`, { mode: 0o755 })
    vi.stubEnv('HF_TOKEN', 'hf_do_not_tell')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'aws-do-not-tell')
    vi.stubEnv('LC_TIME', 'C')
    const named = { platform: 'linux' as const, env: { SPEEDGRID_CHROMIUM: curious } }
    await expect(exportReport(run, 'pdf', named)).rejects.toMatchObject({ code: 'remote' })
    const seen = readFileSync(listing, 'utf8')
    expect(seen).toMatch(/^PATH=/m)
    expect(seen).toMatch(/^LC_TIME=C$/m)
    expect(seen).not.toMatch(/do.not.tell|TOKEN|SECRET/)
  })

  it('says so when the browser ends without an answer, and leaves nothing', async () => {
    const broken = join(folder, 'broken')
    writeFileSync(broken, '#!/bin/sh\necho "no library" >&2\nexit 7\n', { mode: 0o755 })
    const places = { platform: 'linux' as const, env: { SPEEDGRID_CHROMIUM: broken } }
    await expect(writeExport(run, 'png', join(folder, 'x.png'), places)).rejects.toMatchObject({
      code: 'remote',
      evidence: ['no library'],
    })
    expect(readdirSync(folder)).toEqual(['broken'])
    expect(leftovers()).toEqual([])
  })

  it.skipIf(chromium === undefined)('prints a PDF and a picture of the whole page', async () => {
    await writeExport(run, 'pdf', join(folder, 'report.pdf'), here)
    const pdf = readFileSync(join(folder, 'report.pdf'))
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(pdf.includes('/Type /Page')).toBe(true)
    const png = (await exportReport(run, 'png', here)).data as Buffer
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    // Twice as many pixels as the page is wide, and longer than one screen.
    expect(png.readUInt32BE(16)).toBe(2560)
    expect(png.readUInt32BE(20)).toBeGreaterThan(1600)
    expect(leftovers()).toEqual([])
  })
})
