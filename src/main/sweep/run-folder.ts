import { closeSync, constants, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { copyFile, mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SpeedgridError } from '../../shared/model/error.ts'
import { isOwnFolder, makeOwnFolder, removeOwnFolder } from '../servers/index.ts'
import type { HostLink } from '../ssh/types.ts'

const CHUNK_BYTES = 1024 * 1024

/** The folder a driver works in, on the host or on this machine. */
export interface RunFolder {
  readonly path: string
  make(): Promise<void>
  write(name: string, data: string): Promise<void>
  send(localPath: string, name: string): Promise<void>
  append(name: string, data: string): Promise<void>
  /** Bytes from `offset`, at most 1 MiB; empty at the end, or where the file isn't there (yet). */
  read(name: string, offset?: number): Promise<Buffer>
  /** Nothing of it stays; parents that are empty then go too. */
  remove(): Promise<void>
}

/**
 * Each driver of a run has a folder of its own: whoever still reads what an earlier one wrote can never take the next one's for it, and what
 * an earlier one was told (`interrupt`) is not said to the next.
 */
export function runFolderName(runId: string, epoch: number): string {
  return epoch === 1 ? runId : `${runId}.${String(epoch)}`
}

/** On this machine. Errors are those of node:fs. */
export function createLocalFolder(path: string): RunFolder {
  const at = (name: string) => join(path, name)
  return {
    path,
    make: async () => {
      await mkdir(path, { recursive: true, mode: 0o700 })
    },
    write: (name, data) => writeFile(at(name), data, { mode: 0o600 }),
    send: (localPath, name) => copyFile(localPath, at(name)),
    append: (name, data) => {
      const file = openSync(at(name), constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
      try {
        writeSync(file, data)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      return Promise.resolve()
    },
    read: (name, offset = 0) => Promise.resolve(readLocal(at(name), offset)),
    remove: async () => {
      await rm(path, { recursive: true, force: true })
      // Other runs may be in there: then it stays.
      await rmdir(dirname(path)).catch(() => undefined)
    },
  }
}

function readLocal(path: string, offset: number): Buffer {
  if (!existsSync(path)) return Buffer.alloc(0)
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES)
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset))
  } finally {
    closeSync(file)
  }
}

/**
 * On the host. `connect` gives the link of the moment: an old one may have given up. Throws `conflict` where the folder isn't ours: each time
 * the link has come back (the host may have been restarted, and /tmp been emptied), it is looked at again before anything in it is used.
 */
export function createRemoteFolder({ connect, path }: { connect: () => Promise<HostLink>; path: string }): RunFolder {
  const at = (name: string) => `${path}/${name}`

  let seen: { link: HostLink; count: number } | undefined

  /** The link, once the folder was looked at through it; undefined where there is no such folder. */
  async function enter(): Promise<HostLink | undefined> {
    const link = await connect()
    const count = changesOf(link)
    if (seen?.link === link && seen.count === count) return link
    if (!(await isOwnFolder(link, path))) return undefined
    seen = { link, count }
    return link
  }

  async function existing(): Promise<HostLink> {
    const link = await enter()
    if (link !== undefined) return link
    throw new SpeedgridError('not_found', `There is no run folder ${path} on the host`)
  }

  return {
    path,
    make: async () => makeOwnFolder(await connect(), path),
    write: async (name, data) => (await existing()).files.write(at(name), data, 0o600),
    send: async (localPath, name) => (await existing()).files.send(localPath, at(name), 0o600),
    append: async (name, data) => (await existing()).files.append(at(name), data),
    read: async (name, offset = 0) => {
      const link = await enter()
      if (link === undefined) return Buffer.alloc(0)
      try {
        return await link.files.read(at(name), offset, CHUNK_BYTES)
      } catch (error) {
        if (error instanceof SpeedgridError && error.code === 'not_found') return Buffer.alloc(0)
        throw error
      }
    },
    remove: async () => removeOwnFolder(await connect(), path),
  }
}

const changes = new WeakMap<HostLink, { count: number }>()

/** How often a link has changed its state since we first saw it. */
function changesOf(link: HostLink): number {
  const known = changes.get(link)
  if (known !== undefined) return known.count
  const fresh = { count: 0 }
  changes.set(link, fresh)
  link.onStateChange(() => (fresh.count += 1))
  return 0
}
