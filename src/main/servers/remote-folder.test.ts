import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLocalLink, type LocalLink } from '../../../test/local-link.ts'
import { isOwnFolder, makeOwnFolder, removeOwnFolder, resolveBaseFolder } from './remote-folder.ts'

const uid = process.getuid?.() ?? 0

describe('resolveBaseFolder', () => {
  let link: LocalLink
  let temporaryFolder: string
  beforeEach(async () => {
    link = await createLocalLink({ env: { PATH: '/usr/bin:/bin' } })
    temporaryFolder = await mkdtemp(join(tmpdir(), 'speedgrid-tmp-'))
  })
  afterEach(async () => {
    await link.dispose()
    await rm(temporaryFolder, { recursive: true, force: true })
  })
  /** Where earlier versions had it. */
  const former = () => join(temporaryFolder, `speedgrid-${String(uid)}`)
  const random = () => expect.stringMatching(/speedgrid-tmp-\w+\/speedgrid-[0-9a-f-]{36}$/) as string

  it('is in the home folder’s cache, 0700', async () => {
    const base = await resolveBaseFolder(link, { temporaryFolder })
    expect(base).toEqual({
      path: `${link.homeDir}/.cache/speedgrid`,
      home: link.homeDir,
    })
    expect((await stat(base.path)).mode & 0o777).toBe(0o700)
    expect(await readdir(base.path)).toEqual([])
    await chmod(base.path, 0o755)
    await resolveBaseFolder(link, { temporaryFolder })
    expect((await stat(base.path)).mode & 0o777).toBe(0o700)
  })

  it('follows XDG_CACHE_HOME, unless that is relative', async () => {
    const elsewhere = join(temporaryFolder, 'a cache')
    const here = await createLocalLink({ env: { PATH: '/usr/bin:/bin', XDG_CACHE_HOME: elsewhere } })
    expect((await resolveBaseFolder(here, { temporaryFolder })).path).toBe(`${elsewhere}/speedgrid`)
    await here.dispose()
    const relative = await createLocalLink({ env: { PATH: '/usr/bin:/bin', XDG_CACHE_HOME: 'cache' } })
    expect((await resolveBaseFolder(relative, { temporaryFolder })).path).toBe(`${relative.homeDir}/.cache/speedgrid`)
    await relative.dispose()
  })

  it('is in /tmp where the home folder can’t be written, by a name nobody can foresee, and found again', async () => {
    await writeFile(join(link.homeDir, '.cache'), 'a file, so that nothing can be made below it, not even by root')
    const base = await resolveBaseFolder(link, { temporaryFolder })
    expect(base.path).toEqual(random())
    expect(base.note).toContain("can't be written")
    expect((await stat(base.path)).mode & 0o777).toBe(0o700)
    // Another folder of this account that begins the same way is none of ours.
    await mkdir(join(temporaryFolder, 'speedgrid-other'), { mode: 0o700 })
    expect((await resolveBaseFolder(link, { temporaryFolder })).path).toBe(base.path)
    await makeOwnFolder(link, `${base.path}/runs/abc`)
    await removeOwnFolder(link, `${base.path}/runs/abc`)
    expect(await readdir(temporaryFolder)).toEqual(['speedgrid-other'])
  })

  it('goes on with the folder that an earlier version made in /tmp', async () => {
    await writeFile(join(link.homeDir, '.cache'), '')
    await mkdir(former(), { mode: 0o700 })
    expect((await resolveBaseFolder(link, { temporaryFolder })).path).toBe(former())
    await chmod(former(), 0o777)
    expect((await resolveBaseFolder(link, { temporaryFolder })).path).toEqual(random())
  })

  it('two that are made at once end in one', async () => {
    await writeFile(join(link.homeDir, '.cache'), '')
    await Promise.all(Array.from({ length: 4 }, () => resolveBaseFolder(link, { temporaryFolder })))
    const one = (await resolveBaseFolder(link, { temporaryFolder })).path
    expect((await resolveBaseFolder(link, { temporaryFolder })).path).toBe(one)
  })

  it('is in /tmp where the home folder is on a network', async () => {
    const mountsPath = join(temporaryFolder, 'mounts')
    const place = link.homeDir.replaceAll(' ', '\\040')
    await writeFile(mountsPath, `/dev/sda / ext4 rw 0 0\nserver:/home ${place} nfs4 rw 0 0\n/dev/sdb ${place}x ext4 rw 0 0\n`)
    const base = await resolveBaseFolder(link, { temporaryFolder, mountsPath })
    expect(base).toMatchObject({ path: random(), note: 'the home folder is on a network file system (nfs4)' })
  })

  it('uses nobody else’s folder in /tmp, and follows no link there', async () => {
    await writeFile(join(link.homeDir, '.cache'), '')
    const target = join(temporaryFolder, 'target')
    await mkdir(target)
    await mkdir(join(target, 'node/x'), { recursive: true, mode: 0o700 })
    await symlink(target, former())
    expect((await resolveBaseFolder(link, { temporaryFolder })).path).toEqual(random())
    expect((await lstat(former())).isSymbolicLink()).toBe(true)
    expect(await readdir(target)).toEqual(['node'])
    await expect(removeOwnFolder(link, `${former()}/node/x`)).rejects.toMatchObject({
      evidence: [expect.stringContaining('is a link')],
    })
    await expect(makeOwnFolder(link, `${former()}/node/y`)).rejects.toMatchObject({
      evidence: [expect.stringContaining('is a link')],
    })
    await expect(isOwnFolder(link, `${former()}/node/x`)).rejects.toMatchObject({ code: 'conflict' })
    expect(await readdir(join(target, 'node'))).toEqual(['x'])
  })

  it('refuses a base that others can write, or that lies in a folder where they can exchange it', async () => {
    const cache = join(link.homeDir, '.cache')
    await mkdir(join(cache, 'speedgrid/runs/x'), { recursive: true, mode: 0o700 })
    const path = join(cache, 'speedgrid/runs/x')
    expect(await isOwnFolder(link, path)).toBe(true)
    expect(await isOwnFolder(link, join(cache, 'speedgrid/runs/y'))).toBe(false)
    for (const folder of [path, join(cache, 'speedgrid/runs'), join(cache, 'speedgrid'), cache, link.homeDir]) {
      await chmod(folder, 0o777)
      await expect(isOwnFolder(link, path), folder).rejects.toMatchObject({ code: 'conflict' })
      await chmod(folder, 0o700)
    }
    expect(await isOwnFolder(link, path)).toBe(true)
    await chmod(cache, 0o777)
    const base = await resolveBaseFolder(link, { temporaryFolder })
    expect(base).toMatchObject({ path: random(), note: expect.stringContaining('can be written by everybody') as string })
  })
})
