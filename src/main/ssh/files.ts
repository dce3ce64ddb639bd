import { randomBytes } from 'node:crypto'
import { open as openLocal } from 'node:fs/promises'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Connection } from './connect.ts'
import { type FileContext, folderOf, plainFileError, writeError } from './file-errors.ts'
import { createHandleCache } from './handle-cache.ts'
import { openSftp, SFTP_STATUS, SftpFailure, type SftpSession } from './sftp-session.ts'
import type { HostLink, RemoteFile, RemoteFiles } from './types.ts'

const CHUNK_BYTES = 32 * 1024
const CHUNKS_IN_FLIGHT = 32
const DEFAULT_READ_BYTES = 1024 * 1024
/** How often what can be repeated without harm is repeated after the link came back. */
const REPEATS = 3
const IS_FOLDER = 0o040000
const TYPE_BITS = 0o170000

interface FilesDeps {
  hostName: string
  /** Waits for a reconnect. */
  connection: () => Promise<Connection>
  isClosed: () => boolean
  script: HostLink['script']
}

/** Gives bytes to write, piece by piece; undefined at the end. */
type Source = (offset: number) => Promise<Buffer | undefined>

/** Files over one kept SFTP session, opened again after a reconnect. */
export function createRemoteFiles(deps: FilesDeps): RemoteFiles & { dispose(): void } {
  let kept: { connection: Connection; session: Promise<SftpSession> } | undefined
  const handles = createHandleCache()

  const session = async (): Promise<SftpSession> => {
    const connection = await deps.connection()
    if (kept?.connection === connection) {
      const current = await kept.session.catch(() => undefined)
      if (current?.isOpen) return current
    }
    handles.clear()
    const mine = { connection, session: openSftp(connection, deps.hostName) }
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
        const { handle, keep } = await handles.open(sftp, remotePath(path), offset)
        try {
          return await readRange(sftp, handle, offset, maxBytes)
        } finally {
          if (!keep) await closeHandle(sftp, handle)
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
      handles.clear()
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
  const plain = remotePath(path).replace(/\/+$/, '')
  if (['', '.', '..'].includes(plain) || plain.endsWith('/..')) {
    throw new SpeedgridError('internal', 'Refused to remove a whole root or home folder.', { evidence: [path] })
  }
  return plain
}

async function replaceFile(sftp: SftpSession, path: string, source: Source, mode: number): Promise<void> {
  const slash = path.lastIndexOf('/') + 1
  const temporary = `${path.slice(0, slash)}.${path.slice(slash, slash + 100)}.${randomBytes(6).toString('hex')}.tmp`
  const handle = await sftp.call<Buffer>((s, done) => s.open(temporary, 'wx', { mode }, done))
  try {
    try {
      await writeChunks(sftp, handle, source)
      // The account's umask may have taken bits away.
      await sftp.call((s, done) => s.fchmod(handle, mode, done))
      await optional(() => sftp.call((s, done) => s.ext_openssh_fsync(handle, done)))
    } finally {
      await closeHandle(sftp, handle)
    }
    await renameOver(sftp, temporary, path)
  } catch (error) {
    await sftp.call((s, done) => s.unlink(temporary, done)).catch(() => undefined)
    throw error
  }
}

async function writeChunks(sftp: SftpSession, handle: Buffer, source: Source): Promise<void> {
  let offset = 0
  const inFlight = new Set<Promise<void>>()
  let failed: unknown
  for (;;) {
    const chunk = await source(offset)
    if (!chunk || failed !== undefined) break
    const at = offset
    offset += chunk.length
    const write: Promise<void> = sftp
      .call((s, done) => s.write(handle, chunk, 0, chunk.length, at, done))
      .catch((error: unknown) => void (failed ??= error))
      .finally(() => inFlight.delete(write))
    inFlight.add(write)
    if (inFlight.size >= CHUNKS_IN_FLIGHT) await Promise.race(inFlight)
  }
  await Promise.all(inFlight)
  if (failed !== undefined) throw failed
}

/** OpenSSH's extension replaces an existing file in one step; servers without it need two. */
async function renameOver(sftp: SftpSession, from: string, to: string): Promise<void> {
  try {
    await sftp.call((s, done) => s.ext_openssh_rename(from, to, done))
  } catch (error) {
    if (!(error instanceof SftpFailure) || error.status !== SFTP_STATUS.unsupported) throw error
    await sftp.call((s, done) => s.unlink(to, done)).catch(() => undefined)
    await sftp.call((s, done) => s.rename(from, to, done))
  }
}

async function readRange(sftp: SftpSession, handle: Buffer, offset: number, maxBytes: number): Promise<Buffer> {
  const parts: Promise<Buffer>[] = []
  for (let at = 0; at < maxBytes; at += CHUNK_BYTES) {
    parts.push(readChunk(sftp, handle, offset + at, Math.min(CHUNK_BYTES, maxBytes - at)))
  }
  const chunks: Buffer[] = []
  let ended = false
  for (const [index, chunk] of (await Promise.all(parts)).entries()) {
    // A file that grows while it is read may have a short piece before a full one: what follows a gap is left for the next call.
    if (ended) break
    chunks.push(chunk)
    ended = chunk.length < Math.min(CHUNK_BYTES, maxBytes - index * CHUNK_BYTES)
  }
  return Buffer.concat(chunks)
}

async function readChunk(sftp: SftpSession, handle: Buffer, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  try {
    const count = await sftp.call<number>((s, done) =>
      s.read(handle, buffer, 0, length, offset, (error, bytes) => done(error, bytes)),
    )
    return buffer.subarray(0, count)
  } catch (error) {
    if (error instanceof SftpFailure && error.status === SFTP_STATUS.eof) return Buffer.alloc(0)
    throw error
  }
}

interface Attributes {
  size: number
  mode: number
  mtime: number
}

async function statOf(sftp: SftpSession, path: string): Promise<RemoteFile | undefined> {
  try {
    const found = await sftp.call<Attributes>((s, done) => s.stat(path, done))
    return {
      size: found.size,
      mode: found.mode & 0o7777,
      mtimeMs: found.mtime * 1000,
      isDirectory: (found.mode & TYPE_BITS) === IS_FOLDER,
    }
  } catch (error) {
    if (error instanceof SftpFailure && error.status === SFTP_STATUS.noSuchFile) return undefined
    throw error
  }
}

/** Parents that are missing are made with the same mode; an existing folder is left as it is. */
async function makeFolders(sftp: SftpSession, path: string, mode: number): Promise<void> {
  if ((await statOf(sftp, path))?.isDirectory) return
  const make = () => sftp.call((s, done) => s.mkdir(path, { mode }, done))
  try {
    await make()
  } catch (error) {
    if (!(error instanceof SftpFailure)) throw error
    // Somebody else may have made it meanwhile.
    if ((await statOf(sftp, path))?.isDirectory) return
    const parent = folderOf(path)
    if (error.status !== SFTP_STATUS.noSuchFile || parent === path || parent === '.' || (await statOf(sftp, parent))) throw error
    await makeFolders(sftp, parent, mode)
    await make()
  }
  await sftp.call((s, done) => s.chmod(path, mode, done))
}

/** Removes a file, or a folder with what is in it; links are removed, never followed. Nothing there is no error. */
async function removeTree(sftp: SftpSession, path: string): Promise<void> {
  let mode: number
  try {
    mode = (await sftp.call<Attributes>((s, done) => s.lstat(path, done))).mode
  } catch (error) {
    if (error instanceof SftpFailure && error.status === SFTP_STATUS.noSuchFile) return
    throw error
  }
  if ((mode & TYPE_BITS) !== IS_FOLDER) {
    await sftp.call((s, done) => s.unlink(path, done))
    return
  }
  const entries = await sftp.call<{ filename: string }[]>((s, done) => s.readdir(path, done))
  for (const { filename } of entries) await removeTree(sftp, `${path}/${filename}`)
  await sftp.call((s, done) => s.rmdir(path, done))
}

async function closeHandle(sftp: SftpSession, handle: Buffer): Promise<void> {
  await sftp.call((s, done) => s.close(handle, done)).catch(() => undefined)
}

async function optional(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof SftpFailure) || error.status !== SFTP_STATUS.unsupported) throw error
  }
}
