import type { Stats } from 'node:fs'
import ssh2 from 'ssh2'
import type { Attributes } from 'ssh2'

const { STATUS_CODE } = ssh2.utils.sftp

export function toAttributes(stats: Stats): Attributes {
  return {
    mode: stats.mode,
    uid: stats.uid,
    gid: stats.gid,
    size: stats.size,
    atime: Math.floor(stats.atimeMs / 1000),
    mtime: Math.floor(stats.mtimeMs / 1000),
  }
}

/** The line of `ls -l` that an SFTP listing carries beside each name. */
export function longName(name: string, stats: Stats): string {
  const kind = stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : '-'
  const bits = 'rwxrwxrwx'
    .split('')
    .map((letter, index) => (stats.mode & (1 << (8 - index)) ? letter : '-'))
    .join('')
  const when = stats.mtime.toISOString().slice(0, 16).replace('T', ' ')
  return `${kind}${bits} ${stats.nlink} ${stats.uid} ${stats.gid} ${stats.size} ${when} ${name}`
}

/** A file system error as OpenSSH's sftp-server reports it: three errors have a code of their own, the rest are failures. */
export function toStatus(error: unknown): [number, string] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' || code === 'ENOTDIR') return [STATUS_CODE.NO_SUCH_FILE, 'No such file']
  if (code === 'EACCES' || code === 'EPERM') return [STATUS_CODE.PERMISSION_DENIED, 'Permission denied']
  if (code === 'EBADF') return [STATUS_CODE.FAILURE, 'Invalid handle']
  return [STATUS_CODE.FAILURE, 'Failure']
}
