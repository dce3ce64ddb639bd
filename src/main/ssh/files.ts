import { open as openLocal } from 'node:fs/promises'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Connection } from './connect.ts'
import { type FileContext, plainFileError, writeError } from './file-errors.ts'
import {
  CHUNK_BYTES,
  closeHandle,
  makeFolders,
  readRange,
  removeTree,
  replaceFile,
  type Source,
  statOf,
} from './sftp-operations.ts'
import { openSftp, SftpFailure, type SftpSession } from './sftp-session.ts'
import { untilThereIsRoom } from './patience.ts'
import type { HostLink, RemoteFiles } from './types.ts'

const DEFAULT_READ_BYTES = 1024 * 1024
/** How often what can be repeated without harm is repeated after the link came back. */
const REPEATS = 3

interface FilesDeps {
  hostName: string
  /** Waits for a reconnect. */
  connection: () => Promise<Connection>
  isClosed: () => boolean
  script: HostLink['script']
}

/** Files over one kept SFTP session, opened again after a reconnect. */
export function createRemoteFiles(deps: FilesDeps): RemoteFiles & { dispose(): void } {
  let kept: { connection: Connection; session: Promise<SftpSession> } | undefined

  const session = async (): Promise<SftpSession> => {
    const connection = await deps.connection()
    if (kept?.connection === connection) {
      const current = await kept.session.catch(() => undefined)
      if (current?.isOpen) return current
    }
    const mine = { connection, session: untilThereIsRoom(() => openSftp(connection, deps.hostName)) }
    kept = mine
    return mine.session
  }
  const context = (verb: string, path: string, bytes?: number): FileContext => ({
    hostName: deps.hostName,
    script: deps.script,
    verb,
    path,
    ...(bytes === undefined ? {} : { bytes }),
  })
  /** Explains failures; with `repeat`, does it again when the link broke meanwhile and came back. */
  const run = async <T>(
    what: FileContext,
    repeat: boolean,
    writes: boolean,
    act: (sftp: SftpSession) => Promise<T>,
  ): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await act(await session())
      } catch (error) {
        if (error instanceof SftpFailure) throw writes ? await writeError(what, error) : plainFileError(what, error)
        const broke = error instanceof SpeedgridError && error.code === 'link_lost'
        if (!broke || !repeat || deps.isClosed() || attempt >= REPEATS) throw error
      }
    }
  }

  const writeAll = (path: string, source: Source, bytes: number, mode: number) =>
    run(context('write', path, bytes), true, true, (sftp) => replaceFile(sftp, remotePath(path), source, mode))

  return {
    write(path, data, mode) {
      const all = typeof data === 'string' ? Buffer.from(data, 'utf8') : data
      const source: Source = (offset) =>
        Promise.resolve(offset < all.length ? all.subarray(offset, offset + CHUNK_BYTES) : undefined)
      return writeAll(path, source, all.length, mode)
    },
    async send(localPath, path, mode) {
      const file = await openLocal(localPath, 'r')
      try {
        const { size } = await file.stat()
        const source: Source = async (offset) => {
          const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, offset)
          return bytesRead > 0 ? buffer.subarray(0, bytesRead) : undefined
        }
        await writeAll(path, source, size, mode)
      } finally {
        await file.close()
      }
    },
    append(path, data) {
      const bytes = Buffer.from(data, 'utf8')
      return run(context('write', path, bytes.length), false, true, async (sftp) => {
        const handle = await sftp.call<Buffer>((s, done) => s.open(remotePath(path), 'a', { mode: 0o600 }, done))
        try {
          await sftp.call((s, done) => s.write(handle, bytes, 0, bytes.length, 0, done))
        } finally {
          await closeHandle(sftp, handle)
        }
      })
    },
    read: (path, offset = 0, maxBytes = DEFAULT_READ_BYTES) =>
      run(context('read', path), true, false, async (sftp) => {
        // Opened each time: a handle that was kept would go on reading a file that another one has replaced meanwhile.
        const handle = await sftp.call<Buffer>((s, done) => s.open(remotePath(path), 'r', done))
        try {
          return await readRange(sftp, handle, offset, maxBytes)
        } finally {
          // Nobody needs to wait for its answer.
          void closeHandle(sftp, handle)
        }
      }),
    stat: (path) => run(context('look at', path), true, false, (sftp) => statOf(sftp, remotePath(path))),
    list: (path) =>
      run(context('list', path), true, false, async (sftp) => {
        const entries = await sftp.call<{ filename: string }[]>((s, done) => s.readdir(remotePath(path), done))
        return entries.map((entry) => entry.filename).sort()
      }),
    makeFolder: (path, mode) =>
      run(context('make the folder', path), true, true, (sftp) => makeFolders(sftp, remotePath(path), mode)),
    remove: (path) => run(context('remove', path), true, false, (sftp) => removeTree(sftp, removable(path))),
    dispose() {
      kept?.session.then(
        (sftp) => sftp.close(),
        () => undefined,
      )
      kept = undefined
    },
  }
}

/** SFTP knows no `~`; a relative path is relative to the home folder already. */
function remotePath(path: string): string {
  if (path.includes('\0') || path === '')
    throw new SpeedgridError('usage', 'Not a path on the host.', { evidence: [JSON.stringify(path)] })
  if (path === '~') return '.'
  return path.startsWith('~/') ? path.slice(2).replace(/^\/+/, '') || '.' : path
}

function removable(path: string): string {
  const plain = remotePath(path).replace(/(?<!\/)\/+$/, '')
  if (['', '.', '..'].includes(plain) || plain.endsWith('/..')) {
    throw new SpeedgridError('internal', 'Refused to remove a whole root or home folder.', { evidence: [path] })
  }
  return plain
}
