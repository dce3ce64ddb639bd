import { randomBytes } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NAME = 'tunnel.sock'
const FOLDER = /^speedgrid-[A-Za-z0-9]{6}$/
/** A socket that was just made listens in a moment. */
const YOUNG_MS = 60_000

/** Socket paths must stay under about 100 bytes, which some temporary folders already use up. */
const base = () => (tmpdir().length > 60 ? '/tmp' : tmpdir())

export function freshSocketPath(): { socketPath: string; remove(): void } {
  if (process.platform === 'win32') {
    return { socketPath: `\\\\.\\pipe\\speedgrid-${randomBytes(16).toString('hex')}`, remove: () => undefined }
  }
  // mkdtemp makes it 0700.
  const folder = mkdtempSync(join(base(), 'speedgrid-'))
  return { socketPath: join(folder, NAME), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Removes the sockets of engines that were killed: in a folder of ours that is this account's alone and has nothing else, and on which nobody
 * listens any more. The kernel says that, whatever process it was and wherever it ran; one that is frozen still listens. Never throws.
 */
export async function removeDeadSockets(folder = base(), now = Date.now()): Promise<void> {
  if (process.platform === 'win32') return
  for (const name of tryTo(() => readdirSync(folder)) ?? []) {
    if (!FOLDER.test(name)) continue
    const path = join(folder, name)
    if (!isSocketFolder(path, now) || !(await isRefused(join(path, NAME)))) continue
    tryTo(() => {
      unlinkSync(join(path, NAME))
      // Not with what is in it: there is nothing else of ours.
      rmdirSync(path)
    })
  }
}

function isSocketFolder(path: string, now: number): boolean {
  return (
    tryTo(() => {
      const { uid, mode, mtimeMs } = lstatSync(path)
      const isOurs = lstatSync(path).isDirectory() && uid === process.getuid?.() && (mode & 0o077) === 0
      if (!isOurs || now - mtimeMs < YOUNG_MS) return false
      const entries = readdirSync(path)
      return entries.length === 1 && entries[0] === NAME && lstatSync(join(path, NAME)).isSocket()
    }) ?? false
  )
}

function isRefused(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
}

function tryTo<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
