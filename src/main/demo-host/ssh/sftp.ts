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
import { resolve } from 'node:path'
import ssh2 from 'ssh2'
import type { Attributes, SFTPWrapper } from 'ssh2'
import { toAttributes, toStatus } from './sftp-attributes.ts'
import { advertiseExtensions } from './sftp-extensions.ts'
import { createHandles, listEntries, openFlags, readStrings } from './sftp-handles.ts'
import type { Handles } from './sftp-handles.ts'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp
const MAX_READ_BYTES = 256 * 1024

interface Context {
  sftp: SFTPWrapper
  handles: Handles
  /** A path as the client says it, on our file system. */
  at: (path: string) => string
  /** Runs the work; the reply is OK, unless it resolves to REPLIED. */
  answer: (id: number, work: () => Promise<unknown>) => void
}

const REPLIED = Symbol('replied')

/** Serves SFTP version 3 on the real file system; relative paths start at `home`. */
export function serveSftp(sftp: SFTPWrapper, home: string): void {
  advertiseExtensions(sftp, { 'posix-rename@openssh.com': '1', 'fsync@openssh.com': '1' })
  const handles = createHandles()
  const context: Context = {
    sftp,
    handles,
    at: (path) => resolve(home, path),
    answer: (id, work) => {
      work().then(
        (result) => result !== REPLIED && sftp.status(id, STATUS_CODE.OK),
        (error: unknown) => sftp.status(id, ...toStatus(error)),
      )
    },
  }
  serveFiles(context)
  serveFolders(context)
  serveAttributes(context)
  serveNames(context)
  sftp.on('close', () => handles.closeAll())
}

function serveFiles({ sftp, handles, at, answer }: Context): void {
  sftp.on('OPEN', (id, path, flags, wanted) => {
    answer(id, async () => {
      const file = await open(at(path), openFlags(flags), modeOf(wanted, 0o666))
      sftp.handle(id, handles.add({ file, append: (flags & OPEN_MODE.APPEND) !== 0 }))
      return REPLIED
    })
  })
  sftp.on('READ', (id, handle, offset, length) => {
    answer(id, async () => {
      const buffer = Buffer.allocUnsafe(Math.min(length, MAX_READ_BYTES))
      const { bytesRead } = await handles.file(handle).file.read(buffer, 0, buffer.length, offset)
      if (bytesRead === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.data(id, buffer.subarray(0, bytesRead))
      return REPLIED
    })
  })
  sftp.on('WRITE', (id, handle, offset, data) => {
    const copy = Buffer.from(data) // the packet's buffer is reused by the next one
    answer(id, async () => {
      const { file, append } = handles.file(handle)
      for (let done = 0; done < copy.length; ) {
        const { bytesWritten } = await file.write(copy, done, copy.length - done, append ? null : offset + done)
        done += bytesWritten
      }
    })
  })
  sftp.on('CLOSE', (id, handle) => answer(id, () => handles.close(handle)))
}

function serveFolders({ sftp, handles, at, answer }: Context): void {
  sftp.on('OPENDIR', (id, path) => {
    answer(id, async () => {
      const folder = at(path)
      sftp.handle(id, handles.add({ folder, names: ['.', '..', ...(await readdir(folder))] }))
      return REPLIED
    })
  })
  sftp.on('READDIR', (id, handle) => {
    answer(id, async () => {
      const { folder, names } = handles.folder(handle)
      const some = names.splice(0, 100)
      if (some.length === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.name(id, await listEntries(folder, some))
      return REPLIED
    })
  })
  sftp.on('MKDIR', (id, path, wanted) => answer(id, () => mkdir(at(path), modeOf(wanted, 0o777))))
  sftp.on('RMDIR', (id, path) => answer(id, () => rmdir(at(path))))
}

function serveAttributes({ sftp, handles, at, answer }: Context): void {
  const reply = (id: number, read: () => Promise<Parameters<typeof toAttributes>[0]>) => {
    answer(id, async () => {
      sftp.attrs(id, toAttributes(await read()))
      return REPLIED
    })
  }
  sftp.on('STAT', (id, path) => reply(id, () => stat(at(path))))
  sftp.on('LSTAT', (id, path) => reply(id, () => lstat(at(path))))
  sftp.on('FSTAT', (id, handle) => reply(id, async () => handles.file(handle).file.stat()))
  sftp.on('SETSTAT', (id, path, wanted) => {
    answer(id, async () => {
      if (wanted.size !== undefined) await truncate(at(path), wanted.size)
      if (wanted.mode !== undefined) await chmod(at(path), modeOf(wanted, 0))
      if (wanted.atime !== undefined && wanted.mtime !== undefined) await utimes(at(path), wanted.atime, wanted.mtime)
    })
  })
  sftp.on('FSETSTAT', (id, handle, wanted) => {
    answer(id, async () => {
      const { file } = handles.file(handle)
      if (wanted.size !== undefined) await file.truncate(wanted.size)
      if (wanted.mode !== undefined) await file.chmod(modeOf(wanted, 0))
      if (wanted.atime !== undefined && wanted.mtime !== undefined) await file.utimes(wanted.atime, wanted.mtime)
    })
  })
}

function serveNames({ sftp, handles, at, answer }: Context): void {
  const reply = (id: number, find: () => Promise<string>) => {
    answer(id, async () => {
      const name = await find()
      sftp.name(id, [{ filename: name, longname: name, attrs: {} as Attributes }])
      return REPLIED
    })
  }
  sftp.on('READLINK', (id, path) => reply(id, () => readlink(at(path))))
  sftp.on('REALPATH', (id, path) => reply(id, () => realpath(at(path)).catch(() => at(path))))
  sftp.on('REMOVE', (id, path) => answer(id, () => unlink(at(path))))
  sftp.on('RENAME', (id, from, to) => answer(id, () => renameToNew(at(from), at(to))))
  sftp.on('SYMLINK', (id, link, target) => answer(id, () => symlink(target, at(link))))
  sftp.on('EXTENDED', (id, name, data) => {
    const [first, second] = readStrings(data)
    if (name === 'posix-rename@openssh.com') answer(id, () => rename(at(String(first)), at(String(second))))
    else if (name === 'fsync@openssh.com') answer(id, async () => handles.file(first ?? Buffer.alloc(0)).file.sync())
    else sftp.status(id, STATUS_CODE.OP_UNSUPPORTED)
  })
}

const modeOf = (wanted: Attributes, otherwise: number) => (wanted.mode === undefined ? otherwise : wanted.mode & 0o7777)

/** The plain rename of SFTP version 3 never replaces a file; OpenSSH keeps to that. */
async function renameToNew(from: string, to: string): Promise<void> {
  const exists = await lstat(to).then(
    () => true,
    () => false,
  )
  if (exists) throw Object.assign(new Error('Failure'), { code: 'EEXIST' })
  await rename(from, to)
}
