import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fullRun } from '../../../test/published-runs.ts'
import { renderReport } from '../../shared/report/index.ts'
import { writeReport } from './index.ts'

let folder = ''
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'speedgrid-reports-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

test('writes the whole report, replaces an older one, leaves nothing else', async () => {
  const file = path.join(folder, 'a report.html')
  fs.writeFileSync(file, 'old')
  await writeReport(fullRun(), 'html', file)
  expect(fs.readFileSync(file, 'utf8')).toBe(renderReport(fullRun(), 'html'))
  expect(fs.readdirSync(folder)).toEqual(['a report.html'])
})

test('a link keeps pointing where it did', async () => {
  const real = path.join(folder, 'real.csv')
  fs.writeFileSync(real, 'old')
  fs.symlinkSync(real, path.join(folder, 'link.csv'))
  await writeReport(fullRun(), 'csv', path.join(folder, 'link.csv'))
  expect(fs.lstatSync(path.join(folder, 'link.csv')).isSymbolicLink()).toBe(true)
  expect(fs.readFileSync(real, 'utf8')).toContain('runId')
})

test('says what is in the way', async () => {
  const blocked = path.join(folder, 'file')
  fs.writeFileSync(blocked, 'keep me')
  await expect(writeReport(fullRun(), 'md', path.join(folder, 'none', 'x.md'))).rejects.toMatchObject({
    code: 'not_found',
    message: `There is no folder ${path.join(folder, 'none')}`,
  })
  await expect(writeReport(fullRun(), 'md', path.join(blocked, 'x.md'))).rejects.toMatchObject({ code: 'not_found' })
  await expect(writeReport(fullRun(), 'md', folder)).rejects.toMatchObject({ code: 'conflict' })
  expect(fs.readdirSync(folder)).toEqual(['file'])
  expect(fs.readFileSync(blocked, 'utf8')).toBe('keep me')
})

test.runIf(fs.existsSync('/dev/full'))('a full disk is called a full disk', async () => {
  await expect(writeReport(fullRun(), 'json', '/dev/full')).rejects.toMatchObject({ code: 'disk_full' })
})
