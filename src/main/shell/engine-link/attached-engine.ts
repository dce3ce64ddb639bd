import { WebSocket } from 'ws'
import { PAGE_PROTOCOL } from '../../../shared/contract/page-key.ts'
import type { EngineLife } from '../bridge/envelope.ts'
import type { AttachAddress } from './attach-address.ts'
import { createBackOff } from './back-off.ts'
import type { EngineLink, EngineLinkEvents } from './engine-link.ts'
import type { Admission } from './exchange-token.ts'

/** An engine of `speedgrid serve`: each page's frames over a WebSocket of its own, with what the one-time link was exchanged for. */
interface AttachOptions {
  address: AttachAddress
  admission: Admission
  events: EngineLinkEvents
  /** It knows us no more (it was started anew): a new link is needed. */
  refused: () => void
}

export function createAttachedEngine({ address, admission, events, refused }: AttachOptions): EngineLink {
  const sockets = new Map<number, { socket: WebSocket; waiting: string[] }>()
  let backOff = createBackOff()
  let state: EngineLife = 'up'
  let retry: NodeJS.Timeout | undefined
  let disposed = false

  const dial = () =>
    new WebSocket(address.socket, [PAGE_PROTOCOL, admission.key], {
      headers: { cookie: admission.cookie, origin: address.origin },
      handshakeTimeout: 10_000,
    })
  const become = (next: EngineLife) => {
    if (state === next || disposed) return
    state = next
    events.state(next)
  }

  /** One socket broke: the way to the engine is looked at before pages are told to come back. */
  function lost() {
    if (state !== 'up' || disposed) return
    for (const connection of Array.from(sockets.keys())) drop(connection)
    become('restarting')
    look()
  }
  function look() {
    retry = setTimeout(() => {
      void probe(dial()).then((found) => {
        if (disposed) return
        if (found === 'gone') look()
        else if (found === 'there') {
          backOff = createBackOff()
          become('up')
        } else {
          become('down')
          refused()
        }
      })
    }, backOff.next(0))
  }
  function drop(connection: number) {
    const known = sockets.get(connection)
    sockets.delete(connection)
    known?.socket.removeAllListeners()
    known?.socket.on('error', () => {})
    known?.socket.terminate()
  }

  return {
    get state() {
      return state
    },
    open(connection) {
      const socket = dial()
      const entry = { socket, waiting: [] as string[] }
      sockets.set(connection, entry)
      socket.on('open', () => {
        for (const data of entry.waiting.splice(0)) socket.send(data)
      })
      socket.on('message', (data) => {
        events.data(connection, (data as Buffer).toString())
      })
      socket.on('error', () => {})
      socket.on('close', () => {
        if (!sockets.delete(connection)) return
        events.closed(connection)
        lost()
      })
    },
    send(connection, data) {
      const known = sockets.get(connection)
      if (known?.socket.readyState === WebSocket.OPEN) known.socket.send(data)
      else known?.waiting.push(data)
    },
    close: drop,
    dispose() {
      disposed = true
      clearTimeout(retry)
      for (const connection of Array.from(sockets.keys())) drop(connection)
      return Promise.resolve()
    },
  }
}

/** One look at whether the engine is there and still knows us. */
function probe(socket: WebSocket): Promise<'there' | 'refused' | 'gone'> {
  return new Promise((resolve) => {
    socket.once('open', () => {
      resolve('there')
      socket.close()
    })
    socket.once('unexpected-response', (_request, answer) => {
      resolve(answer.statusCode === 401 || answer.statusCode === 403 ? 'refused' : 'gone')
      socket.terminate()
    })
    socket.on('error', () => {
      resolve('gone')
    })
  })
}
