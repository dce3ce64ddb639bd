import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from './connect.ts'
import { openForward } from './forward.ts'
import { startCommand } from './sessions.ts'
import type { Tunnel } from './types.ts'

const STREAMS_PER_CONNECTION = 64
const RETRY_AFTER_MS = 1000

export interface TunnelDeps {
  hostName: string
  port: number
  streams: number
  open: () => Promise<Connection>
}

/** One data connection and how many streams it carries; opened again on demand after it broke. */
interface Lane {
  connection: Promise<Connection> | undefined
  load: number
}

/**
 * A local socket whose connections reach one port of the host over SSH connections of their own. Each of those has TCP no-delay on
 * both ends: ours is set by the dialler, sshd sets its own at the first exec, so one no-op runs before the first forward.
 */
export async function createTunnel(deps: TunnelDeps): Promise<Tunnel> {
  const lanes: Lane[] = Array.from({ length: Math.max(1, Math.ceil(deps.streams / STREAMS_PER_CONNECTION)) }, () => ({
    connection: undefined,
    load: 0,
  }))
  const sockets = new Set<Socket>()
  let disposed = false

  const connect = async (): Promise<Connection> => {
    const connection = await deps.open()
    try {
      const running = await startCommand(connection, ['true'], { hostName: deps.hostName, timeoutMs: 15_000 })
      await running.done
    } catch (error) {
      connection.close()
      throw error
    }
    if (disposed) connection.close()
    return connection
  }
  const connectionOf = (lane: Lane): Promise<Connection> => {
    if (lane.connection) return lane.connection
    const opening = connect()
    lane.connection = opening
    const forget = () => {
      if (lane.connection === opening) lane.connection = undefined
    }
    opening.then(
      (connection) => connection.onClose(forget),
      // A driver that tries again at once must not hammer the host.
      () => setTimeout(forget, RETRY_AFTER_MS).unref(),
    )
    return opening
  }
  const carry = async (socket: Socket): Promise<void> => {
    const lane = lanes.reduce((least, next) => (next.load < least.load ? next : least))
    lane.load++
    socket.once('close', () => lane.load--)
    const connection = await connectionOf(lane)
    const channel = await openForward(connection, deps.hostName, deps.port)
    if (socket.destroyed) return channel.close()
    // Closed, not only ended: vLLM must see at once that a request is aborted.
    socket.once('close', () => channel.close())
    const stopListening = connection.onClose(() => socket.destroy())
    channel.once('close', () => {
      stopListening()
      // Ends after what is still buffered.
      socket.destroySoon()
    })
    socket.pipe(channel)
    channel.pipe(socket)
  }

  // One after the other: the person may be asked on the first, and not again on the others.
  try {
    for (const lane of lanes) await connectionOf(lane)
  } catch (error) {
    disposed = true
    for (const lane of lanes) void closeLane(lane)
    throw error
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    carry(socket).catch(() => socket.destroy())
  })
  const place = freshSocketPath()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(place.socketPath, resolve)
    })
  } catch (error) {
    place.remove()
    for (const lane of lanes) void closeLane(lane)
    throw error
  }

  return {
    socketPath: place.socketPath,
    async dispose() {
      if (disposed) return
      disposed = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
      await Promise.all(lanes.map(closeLane))
      place.remove()
    },
  }
}

async function closeLane(lane: Lane): Promise<void> {
  const connection = await lane.connection?.catch(() => undefined)
  connection?.close()
}

function freshSocketPath(): { socketPath: string; remove(): void } {
  if (process.platform === 'win32') {
    return { socketPath: `\\\\.\\pipe\\speedgrid-${randomBytes(16).toString('hex')}`, remove: () => undefined }
  }
  // mkdtemp makes it 0700. Socket paths must stay under about 100 bytes, which some temporary folders already use up.
  const base = tmpdir().length > 60 ? '/tmp' : tmpdir()
  const folder = mkdtempSync(join(base, 'speedgrid-'))
  return { socketPath: join(folder, 'tunnel.sock'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
