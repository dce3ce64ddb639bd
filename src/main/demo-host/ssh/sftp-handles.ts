import { constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import ssh2 from 'ssh2'
import { longName, toAttributes } from './sftp-attributes.ts'

const { OPEN_MODE } = ssh2.utils.sftp

interface OpenFile {
  file: FileHandle
  append: boolean
}

interface OpenFolder {
  folder: string
  /** Not told yet. */
  names: string[]
}

/** The files and folders that one client has open, by the four bytes it knows them by. */
export interface Handles {
  add(entry: OpenFile | OpenFolder): Buffer
  /** Both throw EBADF for anything else. */
  file(handle: Buffer): OpenFile
  folder(handle: Buffer): OpenFolder
  close(handle: Buffer): Promise<void>
  closeAll(): void
}

const invalidHandle = () => Object.assign(new Error('Invalid handle'), { code: 'EBADF' })

export function createHandles(): Handles {
  const entries = new Map<number, OpenFile | OpenFolder>()
  let next = 0
  const find = (handle: Buffer) => {
    const entry = handle.length === 4 ? entries.get(handle.readUInt32BE()) : undefined
    if (!entry) throw invalidHandle()
    return entry
  }
  return {
    add(entry) {
      next = (next + 1) % 0xffff_ffff
      entries.set(next, entry)
      const handle = Buffer.alloc(4)
      handle.writeUInt32BE(next)
      return handle
    },
    file(handle) {
      const entry = find(handle)
      if (!('file' in entry)) throw invalidHandle()
      return entry
    },
    folder(handle) {
      const entry = find(handle)
      if (!('folder' in entry)) throw invalidHandle()
      return entry
    },
    async close(handle) {
      const entry = find(handle)
      entries.delete(handle.readUInt32BE())
      if ('file' in entry) await entry.file.close()
    },
    closeAll() {
      for (const entry of entries.values()) if ('file' in entry) void entry.file.close().catch(() => {})
      entries.clear()
    },
  }
}

/** SFTP's open flags as the system's. */
export function openFlags(flags: number): number {
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

export async function listEntries(folder: string, names: readonly string[]) {
  const entries = await Promise.all(
    names.map(async (filename) => {
      const stats = await lstat(resolve(folder, filename)).catch(() => undefined)
      return stats && { filename, longname: longName(filename, stats), attrs: toAttributes(stats) }
    }),
  )
  return entries.filter((entry) => entry !== undefined)
}

/** The strings of an extended request, each with its length before it. */
export function readStrings(data: Buffer | undefined): Buffer[] {
  if (!data) return []
  const strings: Buffer[] = []
  let at = 0
  while (at + 4 <= data.length) {
    const end = at + 4 + data.readUInt32BE(at)
    strings.push(Buffer.from(data.subarray(at + 4, end)))
    at = end
  }
  return strings
}
