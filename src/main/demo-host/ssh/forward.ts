import { connect } from 'node:net'
import type { ServerChannel } from 'ssh2'

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1'])

interface ForwardRequest {
  destIP: string
  destPort: number
}

/** direct-tcpip to this machine's own loopback, and nowhere else. */
export function forward(accept: () => ServerChannel, reject: () => void, request: ForwardRequest): void {
  if (!LOOPBACK.has(request.destIP)) {
    reject()
    return
  }
  const socket = connect({ port: request.destPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.off('error', reject)
    const channel = accept()
    if (!channel) {
      socket.destroy()
      return
    }
    socket.on('error', () => channel.close())
    channel.on('error', () => socket.destroy())
    channel.on('close', () => socket.destroy())
    channel.pipe(socket)
    socket.pipe(channel)
  })
}
