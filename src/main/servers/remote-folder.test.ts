import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLocalLink, type LocalLink } from '../../../test/local-link.ts'
import { resolveBaseFolder } from './remote-folder.ts'

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
  const instead = () => join(temporaryFolder, `speedgrid-${String(uid)}`)

  it('is in the home folder’s cache, 0700', async () => {
    const base = await resolveBaseFolder(link, { temporaryFolder })
    expect(base).toEqual({
      path: `${link.homeDir}/.cache/speedgrid`,
      home: link.homeDir,
      all: [`${link.homeDir}/.cache/speedgrid`, instead()],
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

  it('is in /tmp where the home folder can’t be written', async () => {
    await writeFile(join(link.homeDir, '.cache'), 'a file, so that nothing can be made below it, not even by root')
    const base = await resolveBaseFolder(link, { temporaryFolder })
    expect(base.path).toBe(instead())
    expect(base.note).toContain("can't be written")
    expect((await stat(base.path)).mode & 0o777).toBe(0o700)
  })

  it('is in /tmp where the home folder is on a network', async () => {
    const mountsPath = join(temporaryFolder, 'mounts')
    const place = link.homeDir.replaceAll(' ', '\\040')
    await writeFile(mountsPath, `/dev/sda / ext4 rw 0 0\nserver:/home ${place} nfs4 rw 0 0\n/dev/sdb ${place}x ext4 rw 0 0\n`)
    const base = await resolveBaseFolder(link, { temporaryFolder, mountsPath })
    expect(base).toMatchObject({ path: instead(), note: 'the home folder is on a network file system (nfs4)' })
  })

  it('uses nobody else’s folder in /tmp, and follows no link there', async () => {
    await writeFile(join(link.homeDir, '.cache'), '')
    const target = join(temporaryFolder, 'target')
    await mkdir(target)
    await symlink(target, instead())
    await expect(resolveBaseFolder(link, { temporaryFolder })).rejects.toMatchObject({ code: 'read_only' })
    expect((await lstat(instead())).isSymbolicLink()).toBe(true)
    expect(await readdir(target)).toEqual([])
  })
})
