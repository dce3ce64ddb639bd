import { closeSync, constants, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { copyFile, mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SpeedgridError } from '../../shared/model/error.ts'
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

const MAKE = `
set -u
umask 077
mkdir -p -- "$1" && chmod 700 -- "$1" && [ -O "$1" ]
`

// The guard is for us: whatever goes wrong above, this never removes anything but a run's folder.
const REMOVE = `
set -u
parent=\${1%/*} name=\${1##*/}
[ "\${parent##*/}" = runs ] || exit 9
case $name in ''|.|..) exit 9 ;; esac
rm -rf -- "$1"
rmdir -- "$parent" 2>/dev/null
case \${parent%/*} in */speedgrid|*/speedgrid-[0-9]*) rmdir -- "\${parent%/*}" 2>/dev/null ;; esac
[ ! -e "$1" ]
`

/** On the host. `connect` gives the link of the moment: an old one may have given up. */
export function createRemoteFolder({ connect, path }: { connect: () => Promise<HostLink>; path: string }): RunFolder {
  const at = (name: string) => `${path}/${name}`

  async function runScript(what: string, script: string): Promise<void> {
    const link = await connect()
    const result = await link.script(script, [path], { timeoutMs: 60_000 })
    if (result.code === 0) return
    const evidence = result.stderr.split('\n').filter((line) => line.trim() !== '')
    throw new SpeedgridError(codeOf(result.stderr), `${what} failed on ${link.hostName}: ${path}`, {
      evidence: evidence.slice(0, 5),
      nextStep: 'Look at the folder, its owner and the free space on the host.',
    })
  }

  return {
    path,
    make: () => runScript('Making the run folder', MAKE),
    write: async (name, data) => (await connect()).files.write(at(name), data, 0o600),
    send: async (localPath, name) => (await connect()).files.send(localPath, at(name), 0o600),
    append: async (name, data) => (await connect()).files.append(at(name), data),
    read: async (name, offset = 0) => {
      const link = await connect()
      try {
        return await link.files.read(at(name), offset, CHUNK_BYTES)
      } catch (error) {
        if (error instanceof SpeedgridError && error.code === 'not_found') return Buffer.alloc(0)
        throw error
      }
    },
    remove: () => runScript('Removing the run folder', REMOVE),
  }
}

function codeOf(stderr: string): 'disk_full' | 'read_only' | 'remote' {
  if (/no space left|quota exceeded/i.test(stderr)) return 'disk_full'
  return /read-only file system|permission denied/i.test(stderr) ? 'read_only' : 'remote'
}
