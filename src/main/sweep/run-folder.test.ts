import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLocalLink } from '../../../test/local-link.ts'
import { createLocalFolder, createRemoteFolder, type RunFolder } from './run-folder.ts'
import { createSpoolTail } from './spool-tail.ts'

// `runs` and a space further up must not confuse the guard of the removal.
const root = () => mkdtempSync(join(tmpdir(), 'speedgrid folder-'))

test.each(['local', 'remote'] as const)('a folder on %s ground: made private, written, read on, removed', async (kind) => {
  const above = join(root(), 'runs/base')
  const path = join(above, 'runs/abc')
  const link = await createLocalLink()
  const folder: RunFolder =
    kind === 'local' ? createLocalFolder(path) : createRemoteFolder({ connect: () => Promise.resolve(link), path })
  await folder.make()
  expect(statSync(path).mode & 0o777).toBe(0o700)
  expect(await folder.read('spool.jsonl')).toHaveLength(0)
  await folder.write('job.json', '{}')
  expect(statSync(join(path, 'job.json')).mode & 0o777).toBe(0o600)
  await folder.append('control.jsonl', 'one\n')
  await folder.append('control.jsonl', 'two\n')
  expect((await folder.read('control.jsonl', 4)).toString()).toBe('two\n')
  mkdirSync(join(above, 'runs/other'))
  await folder.remove()
  expect(existsSync(path)).toBe(false)
  expect(existsSync(join(above, 'runs/other'))).toBe(true)
  rmSync(join(above, 'runs/other'), { recursive: true })
  await folder.make()
  await folder.remove()
  expect(existsSync(join(above, 'runs'))).toBe(false)
  await link.dispose()
  rmSync(join(above, '../..'), { recursive: true, force: true })
})

test('nothing but a run folder is ever removed', async () => {
  const link = await createLocalLink()
  const connect = () => Promise.resolve(link)
  for (const name of ['elsewhere', 'runs', 'runs/']) {
    const path = `${link.homeDir}/${name}`
    mkdirSync(path, { recursive: true })
    await expect(createRemoteFolder({ connect, path }).remove()).rejects.toThrow('could not be removed')
    expect(existsSync(path)).toBe(true)
  }
  await link.dispose()
})

test('a path where no folder can be is said with the evidence', async () => {
  const link = await createLocalLink()
  writeFileSync(join(link.homeDir, 'file'), '')
  const folder = createRemoteFolder({ connect: () => Promise.resolve(link), path: `${link.homeDir}/file/runs/abc` })
  await expect(folder.make()).rejects.toMatchObject({
    code: 'remote',
    evidence: [expect.stringContaining('Not a directory') as string],
  })
  await link.dispose()
})

test('a spool is read in whole lines, however it arrives, also those longer than a read', async () => {
  const at = join(root(), 'runs/abc')
  const folder = createLocalFolder(at)
  await folder.make()
  const tail = createSpoolTail({ folder, runId: 'abc', epoch: 1, afterLine: 1 })
  const line = (n: number, text: string) => `${JSON.stringify({ n, t: 1, m: 1, kind: 'event', level: 'info', text })}\n`
  const long = line(3, 'ü'.repeat(50_000)).replace(',"t"', `,${' '.repeat(3_000_000)}"t"`)
  writeFileSync(join(at, 'spool.jsonl'), line(1, 'known') + line(2, 'two') + long + line(4, 'four').slice(0, 20))
  const read = async () => {
    const lines: { n: number; length: number }[] = []
    for (let more = true; more; ) {
      const chunk = await tail.next()
      expect(chunk.leftOut.count).toBe(0)
      for (const each of chunk.lines) lines.push({ n: each.n, length: each.kind === 'event' ? each.text.length : 0 })
      more = chunk.more
    }
    return lines
  }
  expect(await read()).toEqual([
    { n: 2, length: 3 },
    { n: 3, length: 50_000 },
  ])
  expect(tail.restBytes).toBe(20)
  await folder.append('spool.jsonl', line(4, 'four').slice(20))
  expect(await read()).toEqual([{ n: 4, length: 4 }])
  await folder.remove()
  rmSync(join(at, '../..'), { recursive: true, force: true })
})

const event = (n: number, text = '') => `${JSON.stringify({ n, t: 1, m: 1, kind: 'event', level: 'info', text })}\n`
const hello = (n: number, change: object = {}) =>
  `${JSON.stringify({ n, t: 1, m: 1, kind: 'hello', runId: 'abc', epoch: 2, place: 'host', driverVersion: '1', nodeVersion: '1', hostName: 'lab', pid: 1, ...change })}\n`

async function newSpool(text: string) {
  const folder = createLocalFolder(join(root(), 'runs/abc'))
  await folder.make()
  const path = join(folder.path, 'spool.jsonl')
  writeFileSync(path, text)
  onTestFinished(() => rmSync(join(folder.path, '../..'), { recursive: true, force: true }))
  return { folder, path }
}
async function readAll(tail: ReturnType<typeof createSpoolTail>) {
  const found = { numbers: [] as number[], missing: [] as { from: number; to: number }[], leftOut: 0 }
  for (let more = true; more; ) {
    const chunk = await tail.next()
    found.numbers.push(...chunk.lines.map((line) => line.n))
    found.missing.push(...chunk.missing)
    found.leftOut += chunk.leftOut.count
    more = chunk.more
  }
  return found
}

test('a spool that was written anew under the same name is read from its beginning', async () => {
  const { folder, path } = await newSpool(event(1, 'x'.repeat(100)) + event(2))
  const tail = createSpoolTail({ folder, runId: 'abc', epoch: 2, afterLine: 0 })
  expect((await readAll(tail)).numbers).toEqual([1, 2])
  rmSync(path)
  writeFileSync(path, [3, 4, 5, 6, 7, 8].map((n) => event(n)).join(''))
  expect(await readAll(tail)).toMatchObject({ numbers: [3, 4, 5, 6, 7, 8], missing: [] })
})

test('lines that are nowhere are said, once, and what follows is read', async () => {
  const { folder } = await newSpool(`${event(1)}no line\n${event(2)}${event(5)}${event(6)}${event(8)}`)
  const tail = createSpoolTail({ folder, runId: 'abc', epoch: 2, afterLine: 0 })
  expect(await readAll(tail)).toEqual({
    numbers: [1, 2, 5, 6, 8],
    missing: [
      { from: 3, to: 4 },
      { from: 7, to: 7 },
    ],
    leftOut: 1,
  })
  const later = createSpoolTail({ folder, runId: 'abc', epoch: 2, afterLine: 3 })
  expect((await readAll(later)).missing[0]).toEqual({ from: 4, to: 4 })
})

test('what another driver has written is left out', async () => {
  const { folder } = await newSpool(hello(1) + event(2))
  expect((await readAll(createSpoolTail({ folder, runId: 'abc', epoch: 2, afterLine: 0 }))).numbers).toEqual([1, 2])
  for (const expected of [
    { runId: 'abc', epoch: 1 },
    { runId: 'abd', epoch: 2 },
  ]) {
    const found = await readAll(createSpoolTail({ folder, ...expected, afterLine: 0 }))
    expect(found).toEqual({ numbers: [], missing: [], leftOut: 2 })
  }
  const both = await newSpool(hello(1, { epoch: 1 }) + event(2) + hello(1) + event(2))
  expect(await readAll(createSpoolTail({ folder: both.folder, runId: 'abc', epoch: 2, afterLine: 0 }))).toMatchObject({
    numbers: [1, 2],
    leftOut: 2,
  })
})
