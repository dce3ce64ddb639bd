import { createServer, type Socket } from 'node:net'
import { fileLimit, isFileLimit } from '../../shared/model/file-limit.ts'
import type { Connection } from './connect.ts'
import { openForward } from './forward.ts'
import { openLanes } from './lanes.ts'
import { roomForFiles } from './room-for-files.ts'
import { startCommand } from './sessions.ts'
import { freshSocketPath } from './tunnel-socket.ts'
import type { Tunnel, TunnelOptions } from './types.ts'

const STREAMS_PER_CONNECTION = 64
const CONFIRM_AGAIN_MS = 1000

interface TunnelDeps extends TunnelOptions {
  hostName: string
  port: number
  streams: number
  open: () => Promise<Connection>
  onDisposed: () => void
}

/**
 * A local socket whose connections reach one port of the host over SSH connections of their own. Each of those has TCP no-delay on
 * both ends: ours is set by the dialler, sshd sets its own at the first exec, so one no-op runs before the first forward. While the link is
 * down a connection is closed at once; whoever made it hears of the state.
 */
export async function createTunnel(deps: TunnelDeps): Promise<Tunnel> {
  const { hostName } = deps
  const sockets = new Set<Socket>()
  const fullListeners = new Set<(reason: string) => void>()
  let disposed = false
  let sure: Promise<void> | undefined

  const open = async (): Promise<Connection> => {
    const connection = await deps.open()
    try {
      const running = await startCommand(connection, ['true'], { hostName, timeoutMs: 15_000 })
      await running.done
    } catch (error) {
      connection.close()
      throw error
    }
    if (disposed) connection.close()
    sure = undefined
    return connection
  }
  const lanes = await openLanes({ hostName, count: Math.max(1, Math.ceil(deps.streams / STREAMS_PER_CONNECTION)), open })

  /** One look for all that wait; a refusal holds for a moment, so that a driver that tries again at once doesn't hammer the host. */
  const confirm = (): Promise<void> => {
    if (deps.confirm === undefined) return Promise.resolve()
    if (sure !== undefined) return sure
    const asked = deps.confirm()
    sure = asked
    asked.catch(() => {
      setTimeout(() => {
        if (sure === asked) sure = undefined
      }, CONFIRM_AGAIN_MS).unref()
    })
    return asked
  }
  const carry = async (socket: Socket): Promise<void> => {
    const lane = lanes.take()
    if (lane === undefined) return void socket.destroy()
    socket.once('close', lane.release)
    await confirm()
    const channel = await openForward(lane.connection, hostName, deps.port, deps.address).catch((error: unknown) => {
      sure = undefined
      throw error
    })
    if (socket.destroyed) return channel.close()
    // Closed, not only ended: vLLM must see at once that a request is aborted.
    socket.once('close', () => channel.close())
    const stopListening = lane.connection.onClose(() => socket.destroy())
    // The server ended it: it may be gone, and its port somebody else's.
    channel.once('end', () => {
      if (!socket.destroyed) sure = undefined
    })
    channel.once('close', () => {
      stopListening()
      // Ends after what is still buffered.
      socket.destroySoon()
    })
    socket.pipe(channel)
    channel.pipe(socket)
  }
  const isFull = (error?: Error) => {
    const { message } = fileLimit(error, `the tunnel to ${hostName} can carry no further connection than its ${sockets.size}`)
    for (const listener of fullListeners) listener(message)
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    carry(socket).catch(() => socket.destroy())
  })
  // Without this the library turns connections away in silence when the process has no file left for one.
  const room = roomForFiles()
  if (room !== undefined) server.maxConnections = room
  server.on('drop', () => isFull())
  server.on('error', (error) => {
    if (isFileLimit(error)) isFull(error)
  })
  const place = freshSocketPath()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(place.socketPath, resolve)
    })
  } catch (error) {
    place.remove()
    lanes.dispose()
    throw error
  }

  return {
    socketPath: place.socketPath,
    get state() {
      return lanes.state
    },
    onStateChange: (listener) => lanes.onStateChange(listener),
    onFull(listener) {
      fullListeners.add(listener)
      return () => void fullListeners.delete(listener)
    },
    async dispose() {
      if (disposed) return
      disposed = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
      lanes.dispose()
      place.remove()
      deps.onDisposed()
    },
  }
}
