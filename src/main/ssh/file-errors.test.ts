import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sshdMissing, startSshd, type TestSshd } from '../../../test/sshd.ts'
import { causeOf, folderOf } from './file-errors.ts'
import { createSshConnector, type HostLink, type SshConnector } from './index.ts'
import { FAST, hostAt, scriptedPrompter, temporaryHome } from './test-support.ts'

describe('the true cause of a failed write', () => {
  const df = (free: number) => `/dev/sda1  1000000  ${1000000 - free}  ${free}  50% /home`
  it('reads what the system said', () => {
    expect(causeOf(`${df(500)}\nerror: dd: failed to open '/home/.x': Read-only file system`, 10)).toBe('read_only')
    expect(causeOf(`${df(0)}\nerror: dd: error writing '/home/.x': No space left on device`, 10)).toBe('disk_full')
    expect(causeOf(`${df(500)}\nerror: dd: closing '/home/.x': Disk quota exceeded`, 10)).toBe('disk_full')
    expect(causeOf(`${df(500)}\nerror: dd: failed to open '/home/.x': Permission denied`, 10)).toBeUndefined()
    expect(causeOf('', 10)).toBeUndefined()
  })
  it('counts a disk with less room than the file needs as full', () => {
    expect(causeOf(df(500), 600 * 1024)).toBe('disk_full')
    expect(causeOf(df(500), 400 * 1024)).toBeUndefined()
    expect(causeOf('server:/export/a b 1000 990 10 99% /mnt', 20 * 1024)).toBe('disk_full')
  })
  it('finds the folder of a path', () => {
    expect(['/a/b', '/a', 'a', 'a/b'].map(folderOf)).toEqual(['/a', '/', '.', 'a'])
  })
})

/** A file system of 256 KiB, where this account may mount one. */
function smallDisk(folder: string): boolean {
  return process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]).status === 0
}

describe.skipIf(sshdMissing())('files that cannot be written', () => {
  const place = temporaryHome()
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-small-'))
  const mounted = smallDisk(folder)
  let sshd: TestSshd
  let connector: SshConnector
  let link: HostLink
  beforeAll(async () => {
    sshd = await startSshd()
    place.writeKnownHosts(`[127.0.0.1]:${sshd.port} ${sshd.hostKeyLine}\n`)
    connector = createSshConnector({
      homeDir: place.home,
      ownKnownHostsPath: place.ownKnownHostsPath,
      prompter: scriptedPrompter(),
      env: {},
      limits: FAST,
    })
    link = await connector.connect(hostAt(sshd))
  })
  afterAll(async () => {
    await connector?.dispose()
    await sshd?.stop()
    if (mounted) spawnSync('umount', [folder])
    rmSync(folder, { recursive: true, force: true })
    place.remove()
  })

  it('names the path when it lies below a file', async () => {
    writeFileSync(join(place.home, 'file'), '')
    const path = join(place.home, 'file', 'below')
    await expect(link.files.write(path, 'x', 0o600)).rejects.toMatchObject({
      code: 'not_found',
      evidence: expect.arrayContaining([path]),
    })
    await expect(link.files.makeFolder(path, 0o700)).rejects.toMatchObject({ evidence: expect.arrayContaining([path]) })
  })

  it('leaves no temporary file when the target is a folder', async () => {
    await link.files.makeFolder(join(place.home, 'taken'), 0o700)
    await link.files.write(join(place.home, 'taken/inside'), '', 0o600)
    await expect(link.files.write(join(place.home, 'taken'), 'x', 0o600)).rejects.toMatchObject({ code: 'remote' })
    expect(readdirSync(place.home).filter((name) => name.includes('.tmp') || name.includes('probe'))).toEqual([])
  })

  it.skipIf(!mounted)('says that the disk is full, and leaves nothing on it', async () => {
    const path = join(folder, 'big')
    await link.files.write(path, 'old', 0o600)
    const failure = link.files.write(path, Buffer.alloc(2_000_000), 0o600)
    await expect(failure).rejects.toMatchObject({ code: 'disk_full', evidence: expect.arrayContaining([path]) })
    expect(readdirSync(folder)).toEqual(['big'])
    expect((await link.files.read(path)).toString()).toBe('old')
  })

  it.skipIf(!mounted)('says that the file system is read-only', async () => {
    spawnSync('mount', ['-o', 'remount,ro', folder])
    await expect(link.files.write(join(folder, 'x'), 'x', 0o600)).rejects.toMatchObject({ code: 'read_only' })
    spawnSync('mount', ['-o', 'remount,rw', folder])
  })
})
