import { randomBytes } from 'node:crypto'
import { folderOf } from './file-errors.ts'
import { SFTP_STATUS, SftpFailure, type SftpSession } from './sftp-session.ts'
import type { RemoteFile } from './types.ts'

export const CHUNK_BYTES = 32 * 1024
const CHUNKS_IN_FLIGHT = 32
const IS_FOLDER = 0o040000
const TYPE_BITS = 0o170000

/** Gives bytes to write, piece by piece; undefined at the end. */
export type Source = (offset: number) => Promise<Buffer | undefined>

/** Writes beside the path and renames; the temporary file goes when anything fails. */
export async function replaceFile(sftp: SftpSession, path: string, source: Source, mode: number): Promise<void> {
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

export async function readRange(sftp: SftpSession, handle: Buffer, offset: number, maxBytes: number): Promise<Buffer> {
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

export async function statOf(sftp: SftpSession, path: string): Promise<RemoteFile | undefined> {
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
export async function makeFolders(sftp: SftpSession, path: string, mode: number): Promise<void> {
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
export async function removeTree(sftp: SftpSession, path: string): Promise<void> {
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

export async function closeHandle(sftp: SftpSession, handle: Buffer): Promise<void> {
  await sftp.call((s, done) => s.close(handle, done)).catch(() => undefined)
}

async function optional(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof SftpFailure) || error.status !== SFTP_STATUS.unsupported) throw error
  }
}
