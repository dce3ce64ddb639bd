import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { SpeedgridError } from '../../shared/model/error.ts'

/** What a running `serve` says of itself, with a new link. */
const mintedSchema = z.object({ link: z.string(), address: z.string(), port: z.int(), pid: z.int() })
export type Minted = z.infer<typeof mintedSchema>

/** The kernel's limit is 108 bytes on Linux and 104 on macOS. */
const LONGEST_PATH = 100
const ANSWER_LIMIT_MS = 3000

/** Where a running `serve` of this data folder listens for its owner: a socket in the folder itself, where its path is short enough. */
export function mintSocketPath(dataDir: string): string {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  if (process.platform === 'win32') return `\\\\.\\pipe\\speedgrid-serve-${name}`
  const beside = join(dataDir, 'serve.sock')
  if (Buffer.byteLength(beside) <= LONGEST_PATH) return beside
  const folder = join(tmpdir(), `speedgrid-serve-${String(process.getuid?.() ?? 0)}`)
  makePrivate(folder)
  return join(folder, `${name}.sock`)
}

/** Asks a running `serve` for a link; undefined where none runs. Only one of our own account is asked. */
export async function askForLink(dataDir: string): Promise<Minted | undefined> {
  const path = mintSocketPath(dataDir)
  if (!isOurs(path)) return undefined
  return await new Promise((resolve) => {
    const socket = connect(path)
    let said = ''
    socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const parsed = mintedSchema.safeParse(parse(said))
      resolve(parsed.success ? parsed.data : undefined)
    })
    socket.end('link\n')
  })
}

/** Listens for our own account alone (0600). What an earlier one left behind is taken away; one that answers is left alone: false. */
export async function listenForOwner(dataDir: string, mint: () => Minted): Promise<{ close: () => Promise<void> } | undefined> {
  const path = mintSocketPath(dataDir)
  if ((await askForLink(dataDir)) !== undefined) return undefined
  const unix = process.platform !== 'win32'
  if (unix) rmSync(path, { force: true })
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy())
    socket.once('data', (chunk: Buffer) => {
      if (chunk.toString().trim() === 'link') socket.end(`${JSON.stringify(mint())}\n`)
      else socket.destroy()
    })
  })
  // Made by the system with what the mask leaves: nobody else can connect, not even for a moment.
  const before = unix ? process.umask(0o177) : 0
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  if (unix) process.umask(before)
  await listening
  if (unix) chmodSync(path, 0o600)
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          if (unix) rmSync(path, { force: true })
          if (unix && dirname(path) !== dataDir) removeIfEmpty(dirname(path))
          resolve()
        })
      }),
  }
}

/** In a folder that everybody may write to: somebody else may have made one of that name. */
function makePrivate(folder: string): void {
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const facts = lstatSync(folder)
  if (facts.isDirectory() && facts.uid === process.getuid?.() && (facts.mode & 0o077) === 0) return
  throw new SpeedgridError('conflict', `${folder} is not a private folder of this account.`, {
    nextStep: 'Remove it, or use a data folder with a shorter path.',
  })
}

function isOurs(path: string): boolean {
  if (process.platform === 'win32') return true
  try {
    const facts = lstatSync(path)
    return facts.isSocket() && facts.uid === process.getuid?.()
  } catch {
    return false
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Another data folder's socket is in there.
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
