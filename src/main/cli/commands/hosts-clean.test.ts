import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLocalLink, type LocalLink } from '../../../../test/local-link.ts'
import { createHarness, type Harness } from '../testing/harness.ts'

let cli: Harness
let link: LocalLink
let base: string
beforeEach(async () => {
  cli = createHarness()
  link = await createLocalLink({ env: { PATH: '/usr/bin:/bin' } })
  base = join(link.homeDir, '.cache', 'speedgrid')
  cli.world.link = link
  await cli.run('hosts', 'add', 'lab', 'ann@10.0.0.1')
})
afterEach(async () => {
  cli.dispose()
  await link.dispose()
})

it('lists what is ours on a host, and removes what nothing needs', async () => {
  mkdirSync(join(base, 'node', '24.0.0-x64'), { recursive: true })
  writeFileSync(join(base, 'node', '24.0.0-x64', 'node'), 'x'.repeat(100_000))
  const listed = await cli.run('hosts', 'clean', 'lab', '--list')
  expect(listed.code).toBe(0)
  expect(listed.stdout).toContain(join(base, 'node', '24.0.0-x64'))
  expect(existsSync(join(base, 'node', '24.0.0-x64', 'node'))).toBe(true)
  // Names and sizes first: nobody was asked.
  const unasked = await cli.run('hosts', 'clean', 'lab')
  expect(unasked.code).toBe(2)
  expect(unasked.stderr).toContain(join(base, 'node', '24.0.0-x64'))
  expect(unasked.stderr).toContain('--yes')
  expect(existsSync(join(base, 'node', '24.0.0-x64', 'node'))).toBe(true)
  const cleaned = await cli.json('hosts', 'clean', 'lab', '--yes')
  expect(cleaned.document).toMatchObject({ host: 'lab', folders: [{ path: join(base, 'node', '24.0.0-x64'), removed: true }] })
  expect(existsSync(base)).toBe(false)
  expect((await cli.run('hosts', 'clean', 'lab')).stdout).toContain('Nothing of ours is on lab.')
})

it('keeps a run that is stored nowhere else', async () => {
  const folder = join(base, 'runs', 'a1b2c3d4e5')
  mkdirSync(folder, { recursive: true })
  const { code, document } = await cli.json('hosts', 'clean', 'lab')
  expect(code).toBe(0)
  expect(document).toMatchObject({
    folders: [{ path: folder, removed: false, reason: expect.stringContaining('not in this history') }],
  })
  expect(existsSync(folder)).toBe(true)
})

it('asks at a terminal, with names and sizes, and takes no for an answer', async () => {
  const terminal = createHarness({ tty: true })
  terminal.world.link = link
  await terminal.run('hosts', 'add', 'lab', 'ann@10.0.0.1')
  const folder = join(base, 'node', '24.0.0-x64')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'node'), 'x'.repeat(100_000))
  const answered = async (answer: string) => {
    const running = terminal.run('hosts', 'clean', 'lab')
    const timer = setInterval(() => terminal.stdin().raw() && terminal.stdin().type(answer), 20)
    return await running.finally(() => clearInterval(timer))
  }
  const kept = await answered('n\r')
  expect(kept.stderr).toMatch(/24\.0\.0-x64\s+\d+.*KiB/)
  expect(kept.stdout).toContain('you said no')
  expect(existsSync(folder)).toBe(true)
  expect((await answered('y\r')).stdout).toContain('removed')
  expect(existsSync(base)).toBe(false)
  terminal.dispose()
})
