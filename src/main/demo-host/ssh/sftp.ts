import { constants } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
} from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import ssh2 from 'ssh2'
import type { Attributes, SFTPWrapper } from 'ssh2'
import { advertiseExtensions } from './sftp-extensions.ts'
import { longName, toAttributes, toStatus } from './sftp-attributes.ts'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp
const MAX_READ_BYTES = 256 * 1024

type Open = { file: FileHandle; append: boolean } | { folder: string; names: string[] }

/** Serves SFTP version 3 on the real file system; relative paths start at `home`. */
export function serveSftp(sftp: SFTPWrapper, home: string): void {
  advertiseExtensions(sftp, { 'posix-rename@openssh.com': '1', 'fsync@openssh.com': '1' })
  const handles = new Map<number, Open>()
  let nextHandle = 0
  const at = (path: string) => resolve(home, path)

  const remember = (entry: Open) => {
    const key = (nextHandle = (nextHandle + 1) % 0xffff_ffff)
    handles.set(key, entry)
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(key)
    return handle
  }
  const find = (handle: Buffer) => (handle.length === 4 ? handles.get(handle.readUInt32BE()) : undefined)
  const fileOf = (handle: Buffer) => {
    const entry = find(handle)
    if (!entry || !('file' in entry)) throw Object.assign(new Error('Invalid handle'), { code: 'EBADF' })
    return entry
  }
  const answer = (id: number, work: () => Promise<unknown>) => {
    work().then(
      (replied) => replied !== true && sftp.status(id, STATUS_CODE.OK),
      (error: unknown) => sftp.status(id, ...toStatus(error)),
    )
  }
  const setAttributes = async (path: string, wanted: Attributes) => {
    if (wanted.size !== undefined) await truncate(path, wanted.size)
    if (wanted.mode !== undefined) await chmod(path, wanted.mode & 0o7777)
    if (wanted.atime !== undefined && wanted.mtime !== undefined) await utimes(path, wanted.atime, wanted.mtime)
  }

  sftp.on('OPEN', (id, path, flags, wanted) => {
    answer(id, async () => {
      const file = await open(at(path), openFlags(flags), wanted.mode === undefined ? 0o666 : wanted.mode & 0o7777)
      sftp.handle(id, remember({ file, append: (flags & OPEN_MODE.APPEND) !== 0 }))
      return true
    })
  })
  sftp.on('READ', (id, handle, offset, length) => {
    answer(id, async () => {
      const buffer = Buffer.allocUnsafe(Math.min(length, MAX_READ_BYTES))
      const { bytesRead } = await fileOf(handle).file.read(buffer, 0, buffer.length, offset)
      if (bytesRead === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.data(id, buffer.subarray(0, bytesRead))
      return true
    })
  })
  sftp.on('WRITE', (id, handle, offset, data) => {
    // The packet's buffer is reused by the next one.
    const copy = Buffer.from(data)
    answer(id, async () => {
      const { file, append } = fileOf(handle)
      for (let done = 0; done < copy.length; ) {
        const { bytesWritten } = await file.write(copy, done, copy.length - done, append ? null : offset + done)
        done += bytesWritten
      }
    })
  })
  sftp.on('CLOSE', (id, handle) => {
    answer(id, async () => {
      const entry = find(handle)
      if (!entry) throw Object.assign(new Error('Invalid handle'), { code: 'EBADF' })
      handles.delete(handle.readUInt32BE())
      if ('file' in entry) await entry.file.close()
    })
  })
  const attributes = (id: number, read: () => Promise<Parameters<typeof toAttributes>[0]>) => {
    answer(id, async () => {
      sftp.attrs(id, toAttributes(await read()))
      return true
    })
  }
  sftp.on('STAT', (id, path) => attributes(id, () => stat(at(path))))
  sftp.on('LSTAT', (id, path) => attributes(id, () => lstat(at(path))))
  sftp.on('FSTAT', (id, handle) => attributes(id, async () => fileOf(handle).file.stat()))
  sftp.on('SETSTAT', (id, path, wanted) => answer(id, () => setAttributes(at(path), wanted)))
  sftp.on('FSETSTAT', (id, handle, wanted) => {
    answer(id, async () => {
      const { file } = fileOf(handle)
      if (wanted.size !== undefined) await file.truncate(wanted.size)
      if (wanted.mode !== undefined) await file.chmod(wanted.mode & 0o7777)
      if (wanted.atime !== undefined && wanted.mtime !== undefined) await file.utimes(wanted.atime, wanted.mtime)
    })
  })
  sftp.on('OPENDIR', (id, path) => {
    answer(id, async () => {
      const folder = at(path)
      sftp.handle(id, remember({ folder, names: ['.', '..', ...(await readdir(folder))] }))
      return true
    })
  })
  sftp.on('READDIR', (id, handle) => {
    answer(id, async () => {
      const entry = find(handle)
      if (!entry || !('folder' in entry)) throw Object.assign(new Error('Invalid handle'), { code: 'EBADF' })
      const names = entry.names.splice(0, 100)
      if (names.length === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.name(id, await list(entry.folder, names))
      return true
    })
  })
  sftp.on('MKDIR', (id, path, wanted) =>
    answer(id, () => mkdir(at(path), wanted.mode === undefined ? 0o777 : wanted.mode & 0o7777)),
  )
  sftp.on('RMDIR', (id, path) => answer(id, () => rmdir(at(path))))
  sftp.on('REMOVE', (id, path) => answer(id, () => unlink(at(path))))
  sftp.on('RENAME', (id, from, to) => answer(id, () => renameToNew(at(from), at(to))))
  sftp.on('SYMLINK', (id, link, target) => answer(id, () => symlink(target, at(link))))
  const oneName = (id: number, name: string) => sftp.name(id, [{ filename: name, longname: name, attrs: {} as Attributes }])
  sftp.on('READLINK', (id, path) => {
    answer(id, async () => {
      oneName(id, await readlink(at(path)))
      return true
    })
  })
  sftp.on('REALPATH', (id, path) => {
    answer(id, async () => {
      oneName(id, await realpath(at(path)).catch(() => at(path)))
      return true
    })
  })
  sftp.on('EXTENDED', (id, name, data) => {
    if (name === 'posix-rename@openssh.com') {
      const [from, to] = readStrings(data)
      answer(id, async () => rename(at(String(from)), at(String(to))))
    } else if (name === 'fsync@openssh.com') {
      const handle = Buffer.from(readStrings(data)[0] ?? [])
      answer(id, async () => fileOf(handle).file.sync())
    } else {
      sftp.status(id, STATUS_CODE.OP_UNSUPPORTED)
    }
  })
  sftp.on('close', () => {
    for (const entry of handles.values()) if ('file' in entry) void entry.file.close().catch(() => {})
    handles.clear()
  })
}

function openFlags(flags: number): number {
  const has = (bit: number) => (flags & bit) !== 0
  const access = has(OPEN_MODE.WRITE) ? (has(OPEN_MODE.READ) ? constants.O_RDWR : constants.O_WRONLY) : constants.O_RDONLY
  return (
    access |
    (has(OPEN_MODE.APPEND) ? constants.O_APPEND : 0) |
    (has(OPEN_MODE.CREAT) ? constants.O_CREAT : 0) |
    (has(OPEN_MODE.TRUNC) ? constants.O_TRUNC : 0) |
    (has(OPEN_MODE.EXCL) ? constants.O_EXCL : 0)
  )
}

/** The plain rename of SFTP version 3 never replaces a file; OpenSSH keeps to that. */
async function renameToNew(from: string, to: string): Promise<void> {
  const exists = await lstat(to).then(
    () => true,
    () => false,
  )
  if (exists) throw Object.assign(new Error('Failure'), { code: 'EEXIST' })
  await rename(from, to)
}

async function list(folder: string, names: string[]) {
  const entries = await Promise.all(
    names.map(async (filename) => {
      const stats = await lstat(resolve(folder, filename)).catch(() => undefined)
      return stats && { filename, longname: longName(filename, stats), attrs: toAttributes(stats) }
    }),
  )
  return entries.filter((entry) => entry !== undefined)
}

function readStrings(data: Buffer | undefined): Buffer[] {
  const strings: Buffer[] = []
  for (let at = 0; data && at + 4 <= data.length; ) {
    const length = data.readUInt32BE(at)
    strings.push(Buffer.from(data.subarray(at + 4, at + 4 + length)))
    at += 4 + length
  }
  return strings
}
